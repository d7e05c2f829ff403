import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow, SpanStatus } from '../../api/types.ts';
import { exampleSpan } from '../examples.ts';
import { Moments, rowAt } from './instant.ts';

const TABLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/golden/instants.json'), 'utf8'),
) as Table;

/** A span, or what differs of it: see the file. */
interface Span {
  readonly offset_ns: number;
  readonly duration_ns: number | null;
  readonly is_error: boolean;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost_usd: number | null;
  readonly waited: readonly (readonly (number | null)[])[];
  readonly wait_ns: number;
}

interface Table {
  readonly span: Span;
  readonly cases: readonly {
    readonly what: string;
    readonly span: Partial<Span>;
    readonly at_ns: number;
    readonly then: Partial<Span> | null;
  }[];
}

const END_NS = 120;

const arbitraryRow: fc.Arbitrary<SpanRow> = fc
  .record({
    span_id: fc.uuid(),
    offset_ns: fc.integer({ min: -10, max: 40 }),
    duration_ns: fc.option(fc.integer({ min: 0, max: 60 })),
    open: fc.constantFrom<SpanStatus>('running', 'lost'),
    ended: fc.constantFrom<SpanStatus>('ok', 'error', 'cancelled'),
    input_tokens: fc.option(fc.integer({ min: 0, max: 9 })),
    waits: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 3 }),
    stall: fc.option(fc.tuple(fc.nat(20), fc.nat(20))),
  })
  .map(({ open, ended, waits, stall, ...values }) => {
    let from_ns = values.offset_ns;
    const waited = waits.map(([after_ns, length_ns]): [number, number | null] => {
      const start_ns = from_ns + after_ns;
      from_ns = start_ns + length_ns;
      return [start_ns, length_ns];
    });
    return exampleSpan({
      ...values,
      status: values.duration_ns === null ? open : ended,
      waited,
      waits: waited.length,
      wait_ns: waited.reduce((sum, [, length_ns]) => sum + (length_ns ?? 0), 0),
      stall_start_ns: stall?.[0] ?? null,
      stall_ns: values.duration_ns === null ? null : (stall?.[1] ?? null),
    });
  });

function momentsOf(rows: readonly SpanRow[]): Moments {
  return Moments.of(rows.map((row) => [row.span_id, row]));
}

const arbitraryInstant = fc.integer({ min: -20, max: END_NS + 20 });

test('at its end a session is as it is', () => {
  fc.assert(
    fc.property(arbitraryRow, (row) => {
      expect(rowAt(row, END_NS + 100)).toBe(row);
    }),
  );
});

test('what is shown at an instant is shown at any later one, and what ended stays as it ended', () => {
  fc.assert(
    fc.property(arbitraryRow, arbitraryInstant, arbitraryInstant, (row, one_ns, other_ns) => {
      const [first_ns, later_ns] = [Math.min(one_ns, other_ns), Math.max(one_ns, other_ns)];
      const [first, later] = [rowAt(row, first_ns), rowAt(row, later_ns)];
      if (first !== undefined) expect(later).toBeDefined();
      if (first !== undefined && first.duration_ns !== null) expect(later).toBe(first);
      expect(later?.waits ?? 0).toBeGreaterThanOrEqual(first?.waits ?? 0);
      expect(later?.wait_ns ?? 0).toBeGreaterThanOrEqual(first?.wait_ns ?? 0);
    }),
  );
});

test.each(TABLE.cases)('$what', ({ span, at_ns, then }) => {
  const { is_error, ...values } = { ...TABLE.span, ...span };
  const status = values.duration_ns === null ? 'running' : is_error ? 'error' : 'ok';
  const waited = values.waited as [number, number | null][];
  const found = rowAt(exampleSpan({ ...values, status, waited, waits: waited.length }), at_ns);
  if (then === null) return expect(found).toBeUndefined();
  const { is_error: isError, ...expected } = { ...TABLE.span, ...span, ...then };
  expect(found).toMatchObject(expected);
  if (values.duration_ns !== null) expect(found?.status === 'error').toBe(isError);
});

test('a span that has not ended runs, without its status, its tokens and its cost', () => {
  const row = exampleSpan({
    status: 'error',
    offset_ns: 10,
    duration_ns: 20,
    input_tokens: 5,
    output_tokens: 6,
    cost_usd: 0.1,
    waits: 2,
    wait_ns: 6,
    waited: [
      [12, 4],
      [20, 2],
    ],
  });
  expect(rowAt(row, 9)).toBeUndefined();
  const then = { status: 'running', duration_ns: null, input_tokens: null, output_tokens: null };
  expect(rowAt(row, 13)).toMatchObject({ ...then, cost_usd: null, waited: [[12, null]], waits: 1 });
  expect(rowAt(row, 18)).toMatchObject({ ...then, waited: [[12, 4]], wait_ns: 4 });
  expect(rowAt(row, 30)).toBe(row);
});

test('between two instants only the rows differ that are named', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(arbitraryRow, { selector: ({ span_id }) => span_id }),
      arbitraryInstant,
      arbitraryInstant,
      (rows, from_ns, to_ns) => {
        const moments = momentsOf(rows);
        const changed = moments.changedBetween(from_ns, to_ns);
        moments.rows.forEach((row, index) => {
          if (!changed.has(index)) expect(rowAt(row, to_ns)).toEqual(rowAt(row, from_ns));
        });
        const begun = moments.rows.filter((row) => rowAt(row, to_ns) !== undefined);
        expect(moments.rows.slice(0, moments.begunAt(to_ns))).toEqual(begun);
      },
    ),
  );
});

test('steps from moment to moment pass each once, and lead back', () => {
  fc.assert(
    fc.property(fc.array(arbitraryRow), (rows) => {
      const moments = momentsOf(rows);
      const forth: number[] = [];
      for (let at = moments.after(-100); at !== undefined; at = moments.after(at)) forth.push(at);
      const back: number[] = [];
      for (let at = moments.before(9999); at !== undefined; at = moments.before(at)) back.push(at);
      expect(back.reverse()).toEqual(forth);
    }),
  );
});
