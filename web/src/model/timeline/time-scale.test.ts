import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import {
  extentOfRows,
  fitWindow,
  panWindow,
  ticksOfPart,
  toOffset,
  toX,
  zoomWindow,
} from './time-scale.ts';

const windows = fc
  .record({
    start_ns: fc.integer({ min: -1e12, max: 1e15 }),
    length: fc.integer({ min: 2000, max: 1e14 }),
  })
  .map(({ start_ns, length }) => ({ start_ns, end_ns: start_ns + length }));

test('ticks are round, evenly spaced and inside the window', () => {
  fc.assert(
    fc.property(windows, fc.integer({ min: 3, max: 20 }), (view, most) => {
      const offsets = ticksOfPart(view, view, most * 96);
      expect(offsets.length).toBeLessThanOrEqual(most + 1);
      for (const offset of offsets) {
        expect(offset).toBeGreaterThanOrEqual(view.start_ns);
        expect(offset).toBeLessThanOrEqual(view.end_ns);
      }
    }),
  );
});

test('above a second ticks are those of a clock', () => {
  const view = { start_ns: 0, end_ns: 100e9 };
  expect(ticksOfPart(view, view, 768).map((offset) => offset / 1e9)).toEqual([
    0, 15, 30, 45, 60, 75, 90,
  ]);
  // A narrow axis has more than its beginning, too.
  expect(ticksOfPart(view, view, 156).map((offset) => offset / 1e9)).toEqual([0, 60]);
});

test('an empty window has no ticks', () => {
  const view = { start_ns: 5, end_ns: 5 };
  expect(ticksOfPart(view, view, 768)).toEqual([]);
});

test('x and offset are each other’s inverse', () => {
  fc.assert(
    fc.property(windows, fc.integer({ min: 0, max: 1000 }), (view, x) => {
      expect(toX(toOffset(x, view, 1000), view, 1000)).toBeCloseTo(x, 1);
    }),
  );
});

test('zooming in keeps what is under the pointer where it is', () => {
  const view = { start_ns: 0, end_ns: 1e9 };
  const zoomed = zoomWindow(view, 0.5, 3e8, view);
  expect(toX(3e8, zoomed, 1000)).toBeCloseTo(300, 6);
});

test('neither zooming nor panning leaves the session behind', () => {
  const extent = { start_ns: 0, end_ns: 1e9 };
  const far = panWindow(extent, 1e12, extent);
  expect(far.start_ns).toBeLessThan(extent.end_ns);
  const out = zoomWindow(extent, 1000, 0, extent);
  expect(out.end_ns - out.start_ns).toBeLessThanOrEqual(1.5e9);
});

test('the fitting window holds everything', () => {
  fc.assert(
    fc.property(windows, fc.boolean(), (extent, isRunning) => {
      const view = fitWindow(extent, isRunning);
      expect(view.start_ns).toBe(extent.start_ns);
      expect(view.end_ns).toBeGreaterThanOrEqual(extent.end_ns);
    }),
  );
});

test('what is written beside the last bar has room, whether something runs or not', () => {
  const extent = { start_ns: 0, end_ns: 10e9 };
  for (const isRunning of [false, true]) {
    expect(fitWindow(extent, isRunning, 0.1).end_ns).toBeGreaterThanOrEqual(11e9);
  }
});

test('while something runs the window stands still until it is full', () => {
  const before = fitWindow({ start_ns: 0, end_ns: 10e9 }, true);
  expect(fitWindow({ start_ns: 0, end_ns: 10.1e9 }, true)).toEqual(before);
});

const at = (depth: number, offset_ns: number, duration_ns: number | null) => ({
  depth,
  span: exampleSpan({
    offset_ns,
    duration_ns,
    ...(duration_ns === null ? { status: 'running' as const } : {}),
  }),
});

test('the rows in view reach from the first beginning to the last end', () => {
  const rows = [at(1, 100, 10), at(1, 90, 5), at(1, 105, 50)];
  expect(extentOfRows(rows, 0)).toEqual({ start_ns: 90, end_ns: 155 });
});

test('a row counts only where its children are not in view', () => {
  const root = at(0, 0, 1_000);
  expect(extentOfRows([root, at(1, 100, 10), at(1, 120, 10)], 0)).toEqual({
    start_ns: 100,
    end_ns: 130,
  });
  expect(extentOfRows([at(1, 100, 10), root], 0)).toEqual({ start_ns: 0, end_ns: 1_000 });
});

test('what runs reaches to now', () => {
  expect(extentOfRows([at(0, 100, null)], 400)).toEqual({ start_ns: 100, end_ns: 400 });
});

test('no row in view, no window', () => {
  expect(extentOfRows([], 0)).toBeUndefined();
});
