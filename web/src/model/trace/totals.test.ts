import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan } from '../examples.ts';
import { SpanForest } from './span-forest.ts';
import { spanKey } from './span-key.ts';
import { totalsOf } from './totals.ts';

const span = (id: string, parent: string | null, values: Partial<SpanRow> = {}) =>
  exampleSpan({ span_id: id, parent_span_id: parent, ...values });

function totals(of: string, ...rows: SpanRow[]) {
  const forest = new SpanForest();
  for (const row of rows) forest.put(row);
  const byKey = new Map(rows.map((row) => [spanKey(row), row]));
  return totalsOf(forest, (key) => byKey.get(key), forest.numberOf(`t.${of}`) ?? -1);
}

test('an agent has its turns, and the tokens and cost of its sub-agents', () => {
  const call = { kind: 'llm', input_tokens: 100, output_tokens: 10, cost_usd: 0.5 } as const;
  expect(
    totals(
      'lead',
      // What an agent reports is a sum over its calls: it counts where they say nothing.
      span('lead', null, { kind: 'agent', input_tokens: 999, output_tokens: 99 }),
      span('a', 'lead', call),
      span('again', 'a', { ...call, duplicate_of: 'a' }),
      span('tool', 'lead', { kind: 'tool', status: 'error' }),
      span('helper', 'tool', { kind: 'agent' }),
      span('b', 'helper', call),
      span('quiet', 'lead', { kind: 'agent', input_tokens: 7, output_tokens: 1, cost_usd: 0.25 }),
      span('c', 'quiet', { kind: 'llm' }),
      span('elsewhere', null, call),
    ),
  ).toEqual({
    turns: 1,
    turnsBelow: 2,
    tools: 1,
    agents: 2,
    errors: 1,
    firstCall: 't.a',
    lastCall: 't.a',
    input_tokens: 207,
    output_tokens: 21,
    cost_usd: 1.25,
  });
});

test('spans that are in each other are counted once', () => {
  const { turns } = totals('a', span('a', 'b', { kind: 'llm' }), span('b', 'a', { kind: 'llm' }));
  expect(turns).toBe(2);
});
