import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisOf, gapsOf, TimeAxis, waitsOf, withoutWaits } from './gaps.ts';
import type { TimeWindow } from './time-scale.ts';

const stretch = (start_ns: number, end_ns: number): TimeWindow => ({ start_ns, end_ns });

const idle = (start_ns: number, end_ns: number) => ({ start_ns, end_ns, kind: 'idle' });

test('a pause that is a tenth of the time is a gap, however few stretches of work there are', () => {
  const work = [stretch(0, 33), stretch(433, 522)];
  expect(gapsOf(work)).toEqual([idle(33, 433)]);
  expect(gapsOf([stretch(0, 50), stretch(55, 100)])).toEqual([]);
});

test('shorter pauses are gaps where they are a third together', () => {
  const turns = (rest_ns: number) =>
    gapsOf(Array.from({ length: 21 }, (_, at) => stretch(at * 100, (at + 1) * 100 - rest_ns)));
  expect(turns(90)).toHaveLength(20);
  expect(turns(20)).toEqual([]);
});

test('work that would be a line between two gaps does not part them', () => {
  const work = [stretch(0, 500), stretch(1500, 1504), stretch(2500, 2504), stretch(3500, 4000)];
  expect(gapsOf(work)).toEqual([idle(500, 3500)]);
});

test('what overlaps a pause fills it', () => {
  expect(gapsOf([stretch(0, 1), stretch(0, 950), stretch(900, 1000)])).toEqual([]);
  expect(gapsOf([])).toEqual([]);
});

test('a gap is one of waiting when a person was waited for in most of it, however told', () => {
  const work = [stretch(0, 10), stretch(1000, 1010)];
  const kindsOf = (...waits: [number, number | null][]) =>
    gapsOf(work, waitsOf(waits, 900)).map((gap) => gap.kind);
  expect(kindsOf([10, 990])).toEqual(['waiting']);
  expect(kindsOf([10, null])).toEqual(['waiting']);
  expect(kindsOf([10, 300], [400, 250])).toEqual(['waiting']);
  expect(kindsOf([10, 300], [10, 300])).toEqual(['idle']);
  expect(kindsOf()).toEqual(['idle']);
});

test('a gap in which a span with children runs is not idle', () => {
  const work = [stretch(0, 10), stretch(1000, 1010)];
  const kindOf = (...frames: TimeWindow[]) => gapsOf(work, [], frames)[0]?.kind;
  expect(kindOf(stretch(0, 1010))).toBe('childless');
  expect(kindOf(stretch(0, 400), stretch(900, 1010))).toBe('idle');
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

test('gaps are short where they take a third and a second, unless the reader chooses', () => {
  const places = (s: number, at: number, areShort?: boolean) => {
    const work = [stretch(0, 10), stretch(12, 20), stretch(420, 430), stretch(432, 1000)];
    const gaps = gapsOf(work.map((one) => stretch(one.start_ns * s, one.end_ns * s)));
    return axisOf(gaps, at * s, areShort).placeOf(at * s) / s;
  };
  const second = 1e7;
  expect(places(second, 1000)).toBeLessThan(700);
  expect(places(second, 1000, false)).toBe(1000);
  expect(places(second, 1300)).toBe(1300);
  expect(places(second, 1300, true)).toBeLessThan(1000);
  expect(places(second / 10, 1000)).toBe(1000);
});
