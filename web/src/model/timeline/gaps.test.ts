import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisOf, gapsOf, TimeAxis, waitsOf, withoutWaits } from './gaps.ts';
import type { TimeWindow } from './time-scale.ts';

const stretch = (start_ns: number, end_ns: number): TimeWindow => ({ start_ns, end_ns });

test('a pause that is long beside all others is a gap', () => {
  const work = [stretch(0, 10), stretch(12, 20), stretch(22, 30), stretch(5000, 5010)];
  expect(gapsOf(work)).toEqual([{ ...stretch(30, 5000), isWaiting: false }]);
});

test('two turns with a night between them have a gap, two with as much rest as work have none', () => {
  expect(gapsOf([stretch(0, 10), stretch(900, 910)])).toEqual([
    { ...stretch(10, 900), isWaiting: false },
  ]);
  expect(gapsOf([stretch(0, 10), stretch(20, 30)])).toEqual([]);
});

test('what overlaps a pause fills it', () => {
  expect(gapsOf([stretch(0, 1), stretch(0, 950), stretch(900, 1000)])).toEqual([]);
  expect(gapsOf([])).toEqual([]);
});

test('a gap is one of waiting when a person was waited for in most of it, however told', () => {
  const work = [stretch(0, 10), stretch(1000, 1010)];
  const isWaiting = (...waits: [number, number | null][]) =>
    gapsOf(work, waitsOf(waits, 900)).map((gap) => gap.isWaiting);
  expect(isWaiting([10, 990])).toEqual([true]);
  expect(isWaiting([10, null])).toEqual([true]);
  expect(isWaiting([10, 300], [400, 250])).toEqual([true]);
  expect(isWaiting([10, 300], [10, 300])).toEqual([false]);
  expect(isWaiting()).toEqual([false]);
});

test('time in which a person is waited for is no work', () => {
  expect(
    withoutWaits(stretch(0, 100), [
      [10, 20],
      [50, null],
    ]),
  ).toEqual([stretch(0, 10), stretch(30, 50)]);
  expect(withoutWaits(stretch(0, 100), [])).toEqual([stretch(0, 100)]);
  expect(withoutWaits(stretch(5, 5), [])).toEqual([stretch(5, 5)]);
});

const axes = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 900 })), {
    maxLength: 6,
  })
  .map((steps) => {
    const gaps: TimeWindow[] = [];
    let at = 0;
    for (const [rest, length] of steps) {
      gaps.push(stretch(at + rest, at + rest + length));
      at += rest + length;
    }
    return new TimeAxis(gaps, at + 50);
  });

test('a place leads back to its offset, and time goes on from left to right', () => {
  fc.assert(
    fc.property(axes, fc.integer({ min: -50, max: 9000 }), (axis, offset_ns) => {
      expect(axis.offsetOf(axis.placeOf(offset_ns))).toBeCloseTo(offset_ns, 5);
      expect(axis.placeOf(offset_ns + 1)).toBeGreaterThan(axis.placeOf(offset_ns));
    }),
  );
});

test('only gaps are shorter than they were', () => {
  fc.assert(
    fc.property(axes, (axis) => {
      const whole = stretch(-50, 9000);
      let from = whole.start_ns;
      for (const { start_ns, end_ns } of axis.segments(axis.windowOf(whole))) {
        expect(axis.placeOf(end_ns) - axis.placeOf(start_ns)).toBeCloseTo(end_ns - start_ns, 5);
        expect(start_ns).toBeGreaterThanOrEqual(from - 1e-6);
        from = end_ns;
      }
      expect(from).toBeCloseTo(whole.end_ns, 5);
    }),
  );
});

test('gaps are short where they take more than a third, unless the reader chooses', () => {
  const gaps = gapsOf([stretch(0, 10), stretch(12, 20), stretch(420, 430), stretch(432, 1000)]);
  expect(axisOf(gaps, 1000).placeOf(1000)).toBeLessThan(700);
  expect(axisOf(gaps, 1000, false).placeOf(1000)).toBe(1000);
  expect(axisOf(gaps, 1300).placeOf(1300)).toBe(1300);
  expect(axisOf(gaps, 1300, true).placeOf(1300)).toBeLessThan(1000);
});
