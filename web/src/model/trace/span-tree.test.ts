import { expect, test } from 'vitest';
import { ancestorKeys, spanKey, type TreeSpan } from './span-tree.ts';

function span(id: string, parent: string | null, offset_ns: number): TreeSpan {
  return { trace_id: 't', span_id: id, parent_span_id: parent, offset_ns };
}

test('ancestors end where a circle closes', () => {
  const spans = new Map([span('a', 'b', 0), span('b', 'a', 1)].map((one) => [spanKey(one), one]));
  const [first] = spans.values();
  expect(first && ancestorKeys(first, (key) => spans.get(key))).toEqual(['t.b']);
});
