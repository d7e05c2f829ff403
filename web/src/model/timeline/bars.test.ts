import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import { barOf, breakLabelX, joined, labelX, MIN_BAR_PX, placeLabel, waitsOf } from './bars.ts';

const view = { start_ns: 0, end_ns: 1000 };

test('a bar is where its time is', () => {
  expect(barOf(100, 300, view, 500)).toEqual({
    x: 50,
    width: 100,
    isCutLeft: false,
    isCutRight: false,
  });
});

test('what is outside the window has no bar, what is shorter than a pixel has one', () => {
  expect(barOf(-200, -100, view, 500)).toBeUndefined();
  expect(barOf(1100, 1200, view, 500)).toBeUndefined();
  expect(barOf(500, 500, view, 500)?.width).toBe(MIN_BAR_PX);
});

test('a wait is hatched where it was, and one that is not over up to the end of the bar', () => {
  const span = exampleSpan({
    offset_ns: 100,
    waited: [
      [200, 100],
      [700, null],
    ],
  });
  expect(waitsOf(span, 900, view, 500)).toEqual([
    { x: 100, width: 50 },
    { x: 350, width: 100 },
  ]);
  const zoomed = { start_ns: 250, end_ns: 350 };
  expect(waitsOf(span, 900, zoomed, 500)).toEqual([{ x: 0, width: 250 }]);
});

test('what is hatched is within the bar, whatever was told', () => {
  const wait = fc.tuple(fc.integer({ min: -500, max: 2000 }), fc.option(fc.nat(1500)));
  fc.assert(
    fc.property(
      fc.array(wait),
      fc.integer({ min: -500, max: 1500 }),
      fc.nat(1500),
      (waited, from, length) => {
        const span = exampleSpan({ offset_ns: from, waited });
        const bar = barOf(from, from + length, view, 500);
        for (const { x, width } of waitsOf(span, from + length, view, 500)) {
          expect(width).toBeGreaterThan(0);
          expect(x).toBeGreaterThanOrEqual(bar?.x ?? Number.NaN);
          expect(x + width).toBeLessThanOrEqual((bar?.x ?? 0) + (bar?.width ?? 0));
        }
      },
    ),
  );
});

test('a label is inside the column and beside its bar', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -500, max: 1500 }),
      fc.nat(1500),
      fc.nat(200),
      (from, length, label) => {
        const bar = barOf(from, from + length, view, 500);
        const place = bar && placeLabel(bar, label, 500);
        if (bar === undefined || place === undefined) return;
        const x = labelX(bar, place, label);
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + label).toBeLessThanOrEqual(500);
        if (place === 'right') expect(x).toBeGreaterThan(bar.x + bar.width);
        if (place === 'left') expect(x + label).toBeLessThan(bar.x);
      },
    ),
  );
});

test('stretches with nothing to be seen between them are one, others stay apart', () => {
  const stretches = [
    { start_ns: 40, end_ns: 50 },
    { start_ns: 20, end_ns: 25 },
    { start_ns: 18, end_ns: 19 },
    { start_ns: 10, end_ns: 18 },
  ];
  expect(joined(stretches, 1)).toEqual([
    { start_ns: 40, end_ns: 50 },
    { start_ns: 10, end_ns: 25 },
  ]);
  expect(joined(stretches, 0.5)).toHaveLength(3);
  expect(joined([], 1)).toEqual([]);
});

test('two breaks beside each other have a label each, none on the other', () => {
  const [first, second] = [
    { x: 200, width: 20 },
    { x: 240, width: 20 },
  ] as const;
  expect(breakLabelX(first, 70, [second], 500)).toBe(150);
  expect(breakLabelX(second, 70, [first, { x: 142, width: 86 }], 500)).toBe(240);
  expect(breakLabelX(first, 70, [], 500)).toBe(175);
  expect(breakLabelX(first, 70, [second, { x: 100, width: 60 }], 500)).toBeUndefined();
});
