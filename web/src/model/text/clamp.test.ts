import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clampText } from './clamp.ts';

test('a short text is whole', () => {
  expect(clampText('one\ntwo')).toBe('one\ntwo');
});

test('a long text is cut at a word', () => {
  const clamped = clampText('word '.repeat(2000));
  expect(clamped.length).toBeLessThan(3001);
  expect(clamped.endsWith('word')).toBe(true);
});

test('many lines are cut at a line', () => {
  expect(clampText('line\n'.repeat(500)).split('\n').length).toBeLessThan(42);
});

test('what is shown is the beginning, and never half of a character', () => {
  const unit = fc.constantFrom('😀', 'ab', ' ', '\n');
  fc.assert(
    fc.property(fc.array(unit, { minLength: 1000, maxLength: 4000 }), (units) => {
      const text = units.join('');
      const clamped = clampText(text);
      expect(text.startsWith(clamped)).toBe(true);
      expect(clamped).not.toMatch(/[\ud800-\udbff]$/);
    }),
    { numRuns: 30 },
  );
});
