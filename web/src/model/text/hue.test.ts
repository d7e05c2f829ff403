import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hueOf } from './hue.ts';

test('a name has the hue it always had, never that of an error or of waiting', () => {
  expect(hueOf('orders')).toBe(hueOf('orders'));
  fc.assert(
    fc.property(fc.string(), (name) => {
      const hue = hueOf(name);
      return Number.isInteger(hue) && (hue <= 10 || (hue >= 105 && hue < 360));
    }),
  );
});

test('names that are nearly the same are told apart', () => {
  const hues = [1, 2, 3, 4, 5].map((number) => hueOf(`service-${number}`)).sort((a, b) => a - b);
  const apart = hues.slice(1).map((hue, at) => hue - (hues[at] ?? 0));
  expect(Math.min(...apart)).toBeGreaterThan(5);
});
