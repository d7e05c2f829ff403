/** The rows of the tree: which span is where, what is folded, where the cursor is. */
import { useCallback, useMemo, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { ancestorKeys, layoutRows, type Rows, spanKey } from '../../model/span-tree.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell } from '../context.ts';

export interface TreeView {
  readonly rows: Rows;
  readonly collapsed: ReadonlySet<string>;
  readonly keyAt: (row: number) => string | undefined;
  /** The newest version of the span of a row. */
  readonly spanAt: (row: number) => SpanRow | undefined;
  readonly rowOf: (key: string) => number | undefined;
  readonly hasChildren: (row: number) => boolean;
  readonly fold: (key: string, isFolded: boolean) => void;
  /** Unfold whatever hides the span. */
  readonly reveal: (key: string) => void;
  readonly foldAll: () => void;
  readonly unfoldAll: () => void;
}

export function useTreeView(trace: Trace): TreeView {
  const structure = useCell(trace.structure);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure says when to read anew
  const spans = useMemo(() => [...trace.spans.values()], [trace, structure]);
  const keys = useMemo(() => spans.map(spanKey), [spans]);
  const rows = useMemo(() => layoutRows(spans, collapsed), [spans, collapsed]);
  const rowOfKey = useMemo(() => {
    const map = new Map<string, number>();
    for (let row = 0; row < rows.count; row += 1) {
      map.set(keys[rows.spanIndex[row] ?? 0] ?? '', row);
    }
    return map;
  }, [rows, keys]);

  const keyAt = useCallback(
    (row: number) => (row < 0 || row >= rows.count ? undefined : keys[rows.spanIndex[row] ?? 0]),
    [rows, keys],
  );
  const spanAt = useCallback(
    (row: number) => {
      const key = keyAt(row);
      return key === undefined ? undefined : trace.spans.get(key);
    },
    [keyAt, trace],
  );
  const fold = useCallback((key: string, isFolded: boolean) => {
    setCollapsed((before) => {
      const after = new Set(before);
      if (isFolded) after.add(key);
      else after.delete(key);
      return after;
    });
  }, []);
  const reveal = useCallback(
    (key: string) => {
      const span = trace.spans.get(key);
      if (span === undefined) return;
      const hiding = new Set(ancestorKeys(span, (parent) => trace.spans.get(parent)));
      setCollapsed((before) =>
        [...before].some((folded) => hiding.has(folded))
          ? new Set([...before].filter((folded) => !hiding.has(folded)))
          : before,
      );
    },
    [trace],
  );
  return {
    rows,
    collapsed,
    keyAt,
    spanAt,
    rowOf: (key) => rowOfKey.get(key),
    hasChildren: (row) => (rows.childCount[rows.spanIndex[row] ?? 0] ?? 0) > 0,
    fold,
    reveal,
    foldAll: () =>
      setCollapsed(new Set(keys.filter((_, index) => (rows.childCount[index] ?? 0) > 0))),
    unfoldAll: () => setCollapsed(new Set()),
  };
}
