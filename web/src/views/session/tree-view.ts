/** The rows of the tree: which span is where, what is folded, where the cursor is. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import {
  ancestorKeys,
  foldedAtFirst,
  layoutRows,
  type Rows,
  spanKey,
} from '../../model/span-tree.ts';
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
  // What the reader folded (true) or unfolded (false) by hand; the rest is as at first.
  const [byHand, setByHand] = useState<ReadonlyMap<string, boolean>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure says when to read anew
  const spans = useMemo(() => [...trace.spans.values()], [trace, structure]);
  const keys = useMemo(() => spans.map(spanKey), [spans]);
  const collapsed = useMemo(() => {
    const folded = new Set(foldedAtFirst(spans));
    for (const [key, isFolded] of byHand) {
      if (isFolded) folded.add(key);
      else folded.delete(key);
    }
    return folded;
  }, [spans, byHand]);
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
  // Read through a ref, so that folding does not make `reveal` anew and reveal the selection again.
  const shown = useRef(collapsed);
  useEffect(() => {
    shown.current = collapsed;
  }, [collapsed]);
  const fold = useCallback((key: string, isFolded: boolean) => {
    setByHand((before) => new Map(before).set(key, isFolded));
  }, []);
  const reveal = useCallback(
    (key: string) => {
      const span = trace.spans.get(key);
      if (span === undefined) return;
      const hiding = ancestorKeys(span, (parent) => trace.spans.get(parent)).filter((ancestor) =>
        shown.current.has(ancestor),
      );
      if (hiding.length === 0) return;
      setByHand((before) => new Map([...before, ...hiding.map((key) => [key, false] as const)]));
    },
    [trace],
  );
  const setAll = (isFolded: boolean) => {
    const parents = keys.filter((_, index) => (rows.childCount[index] ?? 0) > 0);
    setByHand(new Map(parents.map((key) => [key, isFolded])));
  };
  return {
    rows,
    collapsed,
    keyAt,
    spanAt,
    rowOf: (key) => rowOfKey.get(key),
    hasChildren: (row) => (rows.childCount[rows.spanIndex[row] ?? 0] ?? 0) > 0,
    fold,
    reveal,
    foldAll: () => setAll(true),
    unfoldAll: () => setAll(false),
  };
}
