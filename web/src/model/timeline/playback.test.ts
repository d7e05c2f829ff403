import fc from 'fast-check';
import { expect, test } from 'vitest';
import { playedOn, speedFor } from './playback.ts';

const GAPS = [
  { start_ns: 10, end_ns: 100 },
  { start_ns: 120, end_ns: 130 },
];

test('gaps take no time', () => {
  expect(playedOn(0, 5, GAPS)).toBe(5);
  expect(playedOn(5, 10, GAPS)).toBe(105);
  expect(playedOn(5, 30, GAPS)).toBe(135);
  expect(playedOn(50, 1, GAPS)).toBe(101);
});

test('no step stands still or stops within a gap, and two are as long as both in one', () => {
  const step = fc.integer({ min: 1, max: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), step, step, (at_ns, first_ns, second_ns) => {
      const next_ns = playedOn(at_ns, first_ns, GAPS);
      expect(next_ns).toBeGreaterThan(at_ns);
      for (const gap of GAPS) expect(next_ns >= gap.start_ns && next_ns < gap.end_ns).toBe(false);
      expect(playedOn(next_ns, second_ns, GAPS)).toBe(playedOn(at_ns, first_ns + second_ns, GAPS));
    }),
  );
});

test('an hour of which almost all is idle is played as fast as its work', () => {
  const hour = { start_ns: 0, end_ns: 3600e9 };
  expect(speedFor(hour, [])).toBe(256);
  expect(speedFor(hour, [{ start_ns: 10e9, end_ns: 3590e9 }])).toBe(1);
});
