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

test('names of one trace are told apart, and keep their hues when another one comes', () => {
  const names = Array.from({ length: 8 }, (_, at) => `service-${at}`);
  const hues = names.map((name) => hueOf(name, names));
  const sorted = hues.toSorted((a, b) => a - b);
  const apart = sorted.slice(1).map((hue, at) => hue - (sorted[at] ?? 0));
  expect(Math.min(...apart)).toBeGreaterThan(30);
  names.forEach((name, at) => {
    expect(hueOf(name, names.slice(0, at + 1))).toBe(hues[at]);
  });
});
