import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ancestorKeys, foldedAtFirst, layoutRows, spanKey, type TreeSpan } from './span-tree.ts';

function span(id: string, parent: string | null, offset_ns: number): TreeSpan {
  return { trace_id: 't', span_id: id, parent_span_id: parent, offset_ns };
}

/** `a` and below it, indented, what it called: as the rows would show it. */
function picture(spans: readonly TreeSpan[], collapsed: ReadonlySet<string> = new Set()): string[] {
  const rows = layoutRows(spans, collapsed);
  return Array.from({ length: rows.count }, (_, row) => {
    const drawn = spans[rows.spanIndex[row] ?? 0];
    return `${' '.repeat(rows.depth[row] ?? 0)}${drawn?.span_id}`;
  });
}

test('children follow their parent in the order in which they began', () => {
  const spans = [span('c', 'a', 30), span('a', null, 0), span('b', 'a', 10), span('d', 'b', 12)];
  expect(picture(spans)).toEqual(['a', ' b', '  d', ' c']);
});

test('a span whose parent has not arrived is a root, and moves below it when it has', () => {
  const child = span('child', 'late', 5);
  expect(picture([child])).toEqual(['child']);
  expect(picture([child, span('late', null, 0)])).toEqual(['late', ' child']);
});

test('spans in a circle are all shown', () => {
  expect(picture([span('a', 'b', 0), span('b', 'a', 1), span('self', 'self', 2)])).toHaveLength(3);
});

test('a span that names itself as its parent has nothing to unfold', () => {
  expect([...layoutRows([span('self', 'self', 0)], new Set()).childCount]).toEqual([0]);
});

test('a collapsed span hides all that is below it and nothing else', () => {
  const spans = [span('a', null, 0), span('b', 'a', 1), span('c', 'b', 2), span('d', null, 3)];
  expect(picture(spans, new Set(['t.a']))).toEqual(['a', 'd']);
});

test('the same span id in two traces is two spans', () => {
  const other = { ...span('a', null, 1), trace_id: 'u' };
  expect(layoutRows([span('a', null, 0), other], new Set()).count).toBe(2);
});

test('a chain of 20 000 spans is laid out', () => {
  const chain = Array.from({ length: 20_000 }, (_, n) =>
    span(String(n), n === 0 ? null : String(n - 1), n),
  );
  const rows = layoutRows(chain, new Set());
  expect(rows.count).toBe(20_000);
  expect(rows.depth[19_999]).toBe(19_999);
});

const anySpans = fc
  .uniqueArray(fc.nat({ max: 30 }), { maxLength: 30 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc
          .record({ parent: fc.option(fc.nat({ max: 32 })), offset: fc.nat({ max: 5 }) })
          .map(({ parent, offset }) =>
            span(String(id), parent === null ? null : String(parent), offset),
          ),
      ),
    ),
  );

test('every span has exactly one row, whatever the parent pointers say', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const rows = layoutRows(spans, new Set());
      expect(rows.count).toBe(spans.length);
      expect(new Set(rows.spanIndex).size).toBe(spans.length);
    }),
  );
});

test('the rows do not depend on the order in which spans arrived', () => {
  fc.assert(
    fc.property(anySpans, fc.infiniteStream(fc.nat()), (spans, random) => {
      const keyed = spans.map((value) => ({ value, at: random.next().value ?? 0 }));
      const shuffled = keyed.sort((a, b) => a.at - b.at).map(({ value }) => value);
      expect(picture(shuffled)).toEqual(picture(spans));
    }),
  );
});

test('a row is one deeper than the row of its parent, or is a root', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const rows = layoutRows(spans, new Set());
      for (let row = 0; row < rows.count; row += 1) {
        const depth = rows.depth[row] ?? 0;
        if (depth === 0) continue;
        let above = row - 1;
        while ((rows.depth[above] ?? 0) >= depth) above -= 1;
        const [child, parent] = [
          spans[rows.spanIndex[row] ?? 0],
          spans[rows.spanIndex[above] ?? 0],
        ];
        expect(child?.parent_span_id).toBe(parent?.span_id);
      }
    }),
  );
});

test('ancestors end where a circle closes', () => {
  const spans = new Map([span('a', 'b', 0), span('b', 'a', 1)].map((one) => [spanKey(one), one]));
  const [first] = spans.values();
  expect(first && ancestorKeys(first, (key) => spans.get(key))).toEqual(['t.b']);
});

test('what has only bare twins below it begins folded', () => {
  const twin = (id: string, parent: string) => ({ ...span(id, parent, 1), duplicate_of: parent });
  const own = (id: string, parent: string | null) => ({
    ...span(id, parent, 1),
    duplicate_of: null,
  });
  const folded = foldedAtFirst([
    own('root', null),
    own('call', 'root'),
    twin('call-again', 'call'),
    own('mixed', 'root'),
    twin('mixed-again', 'mixed'),
    own('work', 'mixed'),
    own('served', 'root'),
    twin('served-again', 'served'),
    own('server', 'served-again'),
  ]);
  expect([...folded]).toEqual(['t.call']);
});
