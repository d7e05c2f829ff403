/** Branches of a session that runs: those at work are unfolded, and fold when they end. */
import type { SpanRow } from '../../api/types.ts';
import type { SpanForest } from './span-forest.ts';

export interface LiveBranches {
  /** 1 at the number of each span that is unfolded: something in it runs, or it is pinned. */
  readonly open: Uint8Array;
  /** Numbers of spans that ended under the reader's eyes, and stay unfolded. */
  readonly pinned: ReadonlySet<number>;
}

/**
 * The branches after spans began or ended.
 *
 * @param anchors Keys of spans that the reader points at, has selected, or folded by hand: what is
 * around them stays as it is.
 */
export function liveBranches(
  forest: SpanForest,
  running: Iterable<string>,
  before: LiveBranches | undefined,
  anchors: Iterable<string>,
): LiveBranches {
  const open = forest.withAncestors(numbersOf(forest, running));
  const pinned = new Set(before?.pinned);
  for (const number of numbersOf(forest, anchors)) {
    for (const around of [number, ...forest.ancestorsOf(number)]) {
      if (before?.open[around] === 1 && open[around] !== 1) pinned.add(around);
    }
  }
  for (const number of pinned) open[number] = 1;
  return { open, pinned };
}

/** The running spans in which nothing else runs, the newest first. */
export function deepestRunning(
  forest: SpanForest,
  running: ReadonlyMap<string, SpanRow>,
): SpanRow[] {
  const own = [...running].filter(([, span]) => span.duplicate_of === null);
  const above = forest.above(
    numbersOf(
      forest,
      own.map(([key]) => key),
    ),
  );
  return own
    .filter(([key]) => above[forest.numberOf(key) ?? -1] !== 1)
    .map(([, span]) => span)
    .sort((a, b) => b.offset_ns - a.offset_ns);
}

function numbersOf(forest: SpanForest, keys: Iterable<string>): number[] {
  return [...keys].flatMap((key) => forest.numberOf(key) ?? []);
}
