/** Rows of the tree, with folding and filters. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { type Actor, spansOf } from '../../model/trace/actor.ts';
import { type LiveBranches, liveBranches } from '../../model/trace/live-branches.ts';
import { type Arrangement, AS_AT_FIRST, type Rows } from '../../model/trace/span-forest.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell } from '../parts/context.ts';

export interface TreeView {
  readonly rows: Rows;
  readonly keyAt: (row: number) => string | undefined;
  /** The newest version of a row's span. */
  readonly spanAt: (row: number) => SpanRow | undefined;
  readonly rowOf: (key: string) => number | undefined;
  readonly hasChildren: (row: number) => boolean;
  readonly isFolded: (row: number) => boolean;
  /** Whether a descendant of the row failed. */
  readonly hasErrorBelow: (row: number) => boolean;
  /** Whether any row is folded. */
  readonly hasFolded: boolean;
  readonly parentOf: (row: number) => string | undefined;
  /** Number of a row's siblings that are shown, itself included. */
  readonly siblingsOf: (row: number) => number;
  readonly fold: (key: string, isFolded: boolean) => void;
  /** Unfold whatever hides the span. */
  readonly reveal: (key: string) => void;
  readonly foldAll: () => void;
  readonly unfoldAll: () => void;
}

/**
 * @param isErrorsOnly Show only errors and their ancestors.
 * @param actor Show only its spans, what is below them, and their ancestors.
 * @param anchorKeys Keys of spans that the reader points at or has selected.
 */
export function useTreeView(
  trace: Trace,
  isErrorsOnly: boolean,
  actor: Actor | undefined,
  anchorKeys: () => readonly string[],
): TreeView {
  const structure = useCell(trace.structure);
  const errors = useCell(trace.errorCount);
  const [byReader, setArrangement] = useState<Arrangement>(AS_AT_FIRST);
  const live = useLiveBranches(trace, byReader, anchorKeys);
  const arrangement = useMemo(() => ({ ...byReader, live: live?.open }), [byReader, live]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when to arrange anew
  const rows = useMemo(() => {
    const { forest } = trace;
    if (!isErrorsOnly && actor === undefined) return forest.arrange(arrangement);
    const failed = isErrorsOnly ? failedOf(trace) : undefined;
    const own = actor && spansOf(forest, (key) => trace.spans.get(key), actor);
    const isOwn = failed && own && new Set(own);
    const chosen = (isOwn ? failed?.filter((number) => isOwn.has(number)) : (own ?? failed)) ?? [];
    return forest.arrange({ ...arrangement, only: forest.withAncestors(chosen) });
  }, [trace, structure, arrangement, actor, isErrorsOnly, isErrorsOnly && errors]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when to look anew
  const aboveErrors = useMemo(
    () => (errors === 0 ? undefined : trace.forest.above(failedOf(trace))),
    [trace, structure, errors],
  );

  const keyAt = useCallback(
    (row: number) =>
      row < 0 || row >= rows.count ? undefined : trace.forest.keyOf(rows.spanIndex[row] ?? -1),
    [rows, trace],
  );
  const rowOf = useCallback(
    (key: string) => {
      const row = rows.rowOf[trace.forest.numberOf(key) ?? -1] ?? -1;
      return row < 0 ? undefined : row;
    },
    [rows, trace],
  );
  // Read through a ref, so that folding does not make `reveal` anew and reveal the selection again.
  const shown = useRef(rows);
  useEffect(() => {
    shown.current = rows;
  }, [rows]);
  const foldEach = useCallback((keys: Iterable<string>, isFolded: boolean) => {
    setArrangement((before) => {
      const byHand = new Map(before.byHand);
      for (const key of keys) byHand.set(key, isFolded);
      return { ...before, byHand };
    });
  }, []);
  const reveal = useCallback(
    (key: string) => {
      const { forest } = trace;
      const number = forest.numberOf(key);
      if (number === undefined) return;
      const hiding = forest.ancestorsOf(number).filter((one) => shown.current.folded[one] === 1);
      if (hiding.length > 0)
        foldEach(
          hiding.flatMap((one) => forest.keyOf(one) ?? []),
          false,
        );
    },
    [trace, foldEach],
  );
  const fold = useCallback(
    (key: string, isFolded: boolean) => foldEach([key], isFolded),
    [foldEach],
  );
  // The same object while the rows are the same: what is given it need not render with each block.
  return useMemo(
    () => ({
      rows,
      keyAt,
      spanAt: (row) => {
        const key = keyAt(row);
        return key === undefined ? undefined : trace.spans.get(key);
      },
      rowOf,
      hasChildren: (row) => (rows.childCount[rows.spanIndex[row] ?? -1] ?? 0) > 0,
      isFolded: (row) => rows.folded[rows.spanIndex[row] ?? -1] === 1,
      hasErrorBelow: (row) => aboveErrors?.[rows.spanIndex[row] ?? -1] === 1,
      hasFolded: rows.folded.includes(1),
      parentOf: (row) => trace.forest.keyOf(rows.parent[row] ?? -1),
      siblingsOf: (row) => rows.childCount[rows.parent[row] ?? -1] ?? rows.rootCount,
      fold,
      reveal,
      foldAll: () => setArrangement({ byHand: new Map(), all: true }),
      unfoldAll: () => setArrangement({ byHand: new Map(), all: false }),
    }),
    [rows, aboveErrors, keyAt, rowOf, fold, reveal, trace],
  );
}

/** Branches of a session that ran when it was opened; undefined of another. */
function useLiveBranches(
  trace: Trace,
  byReader: Arrangement,
  anchorKeys: () => readonly string[],
): LiveBranches | undefined {
  const running = useCell(trace.running);
  const isReady = useCell(trace.state).kind === 'ready';
  const [isLive, setLive] = useState(false);
  const [branches, setBranches] = useState<LiveBranches | undefined>(undefined);
  useEffect(() => {
    // At an instant nothing folds: what ended before it is what the reader went there to see.
    const isPast = trace.whole !== trace;
    const { session, tally } = trace;
    if (isReady) setLive(!isPast && session.get()?.ended_at === null && tally.running.size > 0);
  }, [trace, isReady]);
  const latest = useRef({ byReader, anchorKeys });
  useLayoutEffect(() => {
    latest.current = { byReader, anchorKeys };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when spans begin or end
  useLayoutEffect(() => {
    if (!isLive) return;
    const anchors = [...latest.current.byReader.byHand.keys(), ...latest.current.anchorKeys()];
    const { forest, tally } = trace;
    setBranches((before) => liveBranches(forest, tally.running.keys(), before, anchors));
  }, [isLive, trace, running]);
  return isLive ? branches : undefined;
}

/** Numbers of the spans that failed. */
function failedOf({ forest, tally }: Trace): number[] {
  return [...tally.errors.keys()].flatMap((key) => forest.numberOf(key) ?? []);
}
