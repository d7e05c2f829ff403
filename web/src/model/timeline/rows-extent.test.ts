import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import { extentOfRows } from './rows-extent.ts';

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
