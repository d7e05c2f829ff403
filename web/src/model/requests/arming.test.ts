import { array, assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { ARM_AFTER_MS, Arming } from './arming.ts';

test('it is armed half a second after the last thing that happened', () => {
  const arming = new Arming(0);
  expect(arming.isArmed(499)).toBe(false);
  expect(arming.isArmed(500)).toBe(true);
  arming.disturb(700);
  expect(arming.isArmed(700)).toBe(false);
  expect(arming.left_ms(900)).toBe(300);
  expect(arming.isArmed(1200)).toBe(true);
});

test('keys that are never half a second apart never find it armed', () => {
  assert(
    property(array(integer({ min: 0, max: ARM_AFTER_MS - 1 }), { maxLength: 400 }), (gaps) => {
      const arming = new Arming(0);
      let now_ms = 0;
      for (const gap_ms of gaps) {
        now_ms += gap_ms;
        expect(arming.isArmed(now_ms)).toBe(false);
        arming.disturb(now_ms);
      }
    }),
  );
});
