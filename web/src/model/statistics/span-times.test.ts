import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Operation, SpanRow } from '../../api/types.ts';
import { exampleSpan, forestOf, treeOf } from '../examples.ts';
import { atOnce } from '../slices.ts';
import { spanKey } from '../trace/span-key.ts';
import { spanTreeOf } from '../trace/span-tree.ts';
import { greatest, ownTimes } from './span-times.ts';
import { countedUsage } from './usage.ts';

interface Golden {
  readonly rows: readonly Partial<SpanRow>[];
  readonly expected: { readonly operations: readonly Operation[] };
}

test('spans of an operation took, in themselves, and used what the service counts', () => {
  const file = readFileSync(resolve('../tests/golden/statistics.json'), 'utf8');
  const { rows, expected } = JSON.parse(file) as Golden;
  const tree = treeOf(rows.map(exampleSpan));
  const own_ns = atOnce(ownTimes(tree));
  const usage = countedUsage(tree);
  for (const { kind, name, own_ns: own, used } of expected.operations) {
    const sum = { own_ns: 0, input_tokens: 0, output_tokens: 0, cost_nanodollars: 0 };
    tree.rows.forEach((row, place) => {
      if (row.kind !== kind || row.name !== name || row.duplicate_of !== null) return;
      sum.own_ns += own_ns[place] ?? 0;
      sum.input_tokens += usage[place]?.input_tokens ?? 0;
      sum.output_tokens += usage[place]?.output_tokens ?? 0;
      sum.cost_nanodollars += usage[place]?.cost_nanodollars ?? 0;
    });
    const { cost_usd, ...tokens } = used;
    const cost_nanodollars = Math.round(cost_usd * 1e9);
    expect({ name, ...sum }).toEqual({ name, own_ns: own, ...tokens, cost_nanodollars });
  }
});

const spans = fc
  .array(
    fc.record({
      parent: fc.nat(30),
      kind: fc.constantFrom('agent', 'llm', 'tool', 'other'),
      offset_ns: fc.integer({ min: -50, max: 100 }),
      duration_ns: fc.option(fc.nat(100)),
      input_tokens: fc.option(fc.nat(10)),
      isDuplicate: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((drawn) =>
    drawn.map(({ parent, isDuplicate, ...values }, at) =>
      exampleSpan({
        ...values,
        span_id: `s${at}`,
        parent_span_id: `s${parent}`,
        duplicate_of: isDuplicate && at % 5 === 0 ? `s${parent}` : null,
      } as Partial<SpanRow>),
    ),
  );

test('whatever the tree, each span is in it once and took no longer in itself than in all', () => {
  fc.assert(
    fc.property(spans, (rows) => {
      const tree = treeOf(rows);
      expect(tree.keys.toSorted()).toEqual(rows.map(spanKey).toSorted());
      const own_ns = atOnce(ownTimes(tree));
      tree.rows.forEach(({ duration_ns }, place) => {
        expect(tree.parent[place]).toBeLessThan(place);
        expect(own_ns[place] === undefined).toBe(duration_ns === null);
        expect(own_ns[place] ?? 0).toBeGreaterThanOrEqual(0);
        expect(own_ns[place] ?? 0).toBeLessThanOrEqual(duration_ns ?? 0);
      });
    }),
  );
});

test('whatever the tree, usage counts once on the way up', () => {
  fc.assert(
    fc.property(spans, (rows) => {
      const tree = treeOf(rows);
      const used = countedUsage(tree);
      used.forEach((one, place) => {
        if (one === undefined) return;
        for (let above = tree.parent[place] ?? -1; above >= 0; above = tree.parent[above] ?? -1) {
          expect(used[above]).toBeUndefined();
        }
      });
    }),
  );
});

test('the work gives way often enough for 100 000 spans', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) =>
    exampleSpan({ span_id: `s${at}`, parent_span_id: `s${at >> 1}`, offset_ns: at }),
  );
  const rowOf = new Map(rows.map((row) => [spanKey(row), row]));
  const steps = spanTreeOf(forestOf(rows), (key) => rowOf.get(key));
  let pauses = 0;
  while (steps.next().done !== true) pauses += 1;
  const times = ownTimes(treeOf(rows));
  while (times.next().done !== true) pauses += 1;
  expect(pauses).toBeGreaterThan(20_000 / 500);
});

test('the greatest are the first of all in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 30 }), (values) => {
      const rows = values.map((value) => exampleSpan({ wait_ns: value }));
      const found = greatest(rows, (row) => row.wait_ns, 5).map(({ value }) => value);
      const expected = values.filter((value) => value > 0).sort((a, b) => b - a);
      expect(found).toEqual(expected.slice(0, 5));
    }),
  );
});
