import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan } from '../examples.ts';
import { duplicatesOf, failedAbove, failedBelow, selfTime_ns } from './span-family.ts';
import { spanKey } from './span-key.ts';

function rowsOf(...rows: SpanRow[]) {
  return new Map(rows.map((row) => [spanKey(row), row]));
}

const span = (id: string, parent: string | null, values: Partial<SpanRow> = {}) =>
  exampleSpan({ span_id: id, parent_span_id: parent, ...values });

test('an error is followed up to where somebody caught it', () => {
  const cause = span('c', 'b', { status: 'error' });
  const rows = rowsOf(
    span('root', null),
    span('a', 'root', { status: 'error' }),
    span('b', 'a', { status: 'error' }),
    cause,
  );
  expect(failedAbove(rows, cause).map((row) => row.span_id)).toEqual(['b', 'a']);
  expect(failedBelow(rows, rows.get('t.a') ?? cause).map((row) => row.span_id)).toEqual(['b']);
});

test("spans that are each other's parents do not hang the page", () => {
  const one = span('a', 'b', { status: 'error' });
  expect(failedAbove(rowsOf(one, span('b', 'a', { status: 'error' })), one)).toHaveLength(1);
});

test('a duplicate is found from either side, in its own trace', () => {
  const original = span('a', null);
  const duplicate = span('b', null, { duplicate_of: 'a' });
  const stranger = span('c', null, { duplicate_of: 'a', trace_id: 'other' });
  const rows = rowsOf(original, duplicate, stranger);
  expect(duplicatesOf(rows, original)).toEqual([duplicate]);
  expect(duplicatesOf(rows, duplicate)).toEqual([original]);
});

test('its own time is what no child and no wait covers', () => {
  const times = fc.record({ offset_ns: fc.integer({ min: -5, max: 30 }), duration_ns: fc.nat(20) });
  fc.assert(
    fc.property(times, fc.array(times), fc.array(times), (own, children, waits) => {
      const waited = waits.map((one): [number, number] => [one.offset_ns, one.duration_ns]);
      const row = span('a', null, { ...own, waited });
      const rows = rowsOf(row, ...children.map((child, at) => span(`c${at}`, 'a', child)));
      const isBusy = (at: number) =>
        [...children, ...waits].some(
          (one) => at >= one.offset_ns && at < one.offset_ns + one.duration_ns,
        );
      const moments = Array.from({ length: own.duration_ns }, (_, at) => own.offset_ns + at);
      expect(selfTime_ns(rows, row)).toBe(moments.filter((at) => !isBusy(at)).length);
    }),
  );
});

test('while something runs its own time is not known', () => {
  const row = span('a', null);
  expect(selfTime_ns(rowsOf(row, span('b', 'a', { duration_ns: null })), row)).toBeUndefined();
});
