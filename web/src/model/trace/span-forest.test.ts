import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forestOf } from '../examples.ts';
import { AS_AT_FIRST, type Rows, type SpanForest } from './span-forest.ts';
import type { DuplicableSpan } from './span-key.ts';

function span(id: string, parent: string | null, offset_ns: number): DuplicableSpan {
  return { trace_id: 't', span_id: id, parent_span_id: parent, offset_ns, duplicate_of: null };
}

function layoutRows(spans: readonly DuplicableSpan[], collapsed: ReadonlySet<string>): Rows {
  const byHand = new Map([...collapsed].map((key) => [key, true] as const));
  return forestOf(spans).arrange({ ...AS_AT_FIRST, byHand, all: false });
}

/** `a` and below it, indented, what it called: as the rows would show it. */
function picture(
  spans: readonly DuplicableSpan[],
  collapsed: ReadonlySet<string> = new Set(),
): string[] {
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

test('what has only bare duplicates below it begins folded', () => {
  const duplicate = (id: string, parent: string) => ({
    ...span(id, parent, 1),
    duplicate_of: parent,
  });
  const forest = forestOf([
    span('root', null, 0),
    span('call', 'root', 1),
    duplicate('call-again', 'call'),
    span('mixed', 'root', 1),
    duplicate('mixed-again', 'mixed'),
    span('work', 'mixed', 1),
    span('served', 'root', 1),
    duplicate('served-again', 'served'),
    span('server', 'served-again', 1),
    span('sent', 'root', 1),
    duplicate('sent-again', 'sent'),
    duplicate('handled', 'sent-again'),
  ]);
  const rows = forest.arrange(AS_AT_FIRST);
  const folded = [...rows.folded.keys()].filter((number) => rows.folded[number] === 1);
  expect(folded.map((number) => forest.keyOf(number))).toEqual([
    't.call',
    't.sent',
    't.sent-again',
  ]);
});

test('what is kept is shown with all that is above it, and nothing else', () => {
  fc.assert(
    fc.property(anySpans, fc.nat(), (spans, random) => {
      const wanted = spans.length === 0 ? [] : [random % spans.length];
      const forest = forestOf(spans);
      const only = forest.withAncestors(wanted);
      const rows = forest.arrange({ ...AS_AT_FIRST, only });
      const shown = [...rows.spanIndex.slice(0, rows.count)].sort((a, b) => a - b);
      expect(shown).toEqual([...only.keys()].filter((number) => only[number] === 1));
    }),
  );
});

test('what failed marks all that is above it', () => {
  fc.assert(
    fc.property(anySpans, fc.array(fc.nat(), { maxLength: 3 }), (spans, random) => {
      const forest = forestOf(spans);
      const failed = spans.length === 0 ? [] : random.map((one) => one % forest.size);
      const marked = forest.above(failed);
      const parents = failed.map((number) => forest.parentOf(number)).filter((one) => one >= 0);
      const above = new Set(parents.flatMap((one) => [one, ...forest.ancestorsOf(one)]));
      expect([...marked.keys()].filter((number) => marked[number] === 1)).toEqual(
        [...above].sort((a, b) => a - b),
      );
    }),
  );
});

test('spans that come one by one, and change their parents, end as if they had come at once', () => {
  fc.assert(
    fc.property(anySpans, anySpans, (before, after) => {
      const forest = forestOf(before);
      forest.arrange(AS_AT_FIRST);
      for (const one of after) forest.put(one);
      const newest = new Map([...before, ...after].map((one) => [one.span_id, one]));
      const atOnce = forestOf([...newest.values()]);
      const shown = (of: SpanForest) => {
        const rows = of.arrange(AS_AT_FIRST);
        return [...rows.spanIndex].map((number, row) => `${rows.depth[row]} ${of.keyOf(number)}`);
      };
      expect(shown(forest)).toEqual(shown(atOnce));
    }),
  );
});

test('a row says which of its siblings it is', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const rows = forestOf(spans).arrange(AS_AT_FIRST);
      const next = new Map<number, number>();
      for (let row = 0; row < rows.count; row += 1) {
        const parent = rows.parent[row] ?? -1;
        next.set(parent, (next.get(parent) ?? 0) + 1);
        expect(rows.position[row]).toBe(next.get(parent));
      }
      expect(next.get(-1) ?? 0).toBe(rows.rootCount);
    }),
  );
});
