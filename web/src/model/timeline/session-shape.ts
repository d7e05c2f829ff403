/**
 * Gaps, critical path and leaves of a session, computed from all spans in steps: with 100 000 spans
 * it takes longer than a frame.
 */
import type { SpanRow } from '../../api/types.ts';
import type { SpanForest } from '../trace/span-forest.ts';
import { endOffset } from '../trace/span-status.ts';
import { type CriticalPath, criticalPathSteps } from './critical-path.ts';
import { type Gap, gapsOf, union, waitsOf, withoutWaits } from './gaps.ts';
import type { TimeWindow } from './time-scale.ts';

export interface Shape {
  /** Spans with nothing below them but duplicates. */
  readonly leaves: readonly SpanRow[];
  /** Times in which a span with others below it runs, disjoint and by start. */
  readonly frames: readonly TimeWindow[];
  readonly gaps: readonly Gap[];
  readonly path: CriticalPath;
}

export const NO_SHAPE: Shape = { leaves: [], frames: [], gaps: [], path: new Map() };

/** Spans of one step: far less than a slice. */
const STEP = 500;

/** `spanOf`: newest version of a span by number; spans may come and change between steps. */
export function* shapeSteps(
  forest: SpanForest,
  spanOf: (number: number) => SpanRow | undefined,
  now_ns: number,
  isPathWanted: boolean,
): Generator<void, Shape> {
  const leaves: SpanRow[] = [];
  const work: TimeWindow[] = [];
  const waits: TimeWindow[] = [];
  const framing: TimeWindow[] = [];
  for (let number = 0; number < forest.size; number += 1) {
    if (number % STEP === STEP - 1) yield;
    const span = spanOf(number);
    if (span === undefined) continue;
    const end_ns = endOffset(span, now_ns);
    if (span.waited.length > 0) waits.push(...waitsOf(span.waited, end_ns));
    const all = { start_ns: span.offset_ns, end_ns };
    if (!isLeaf(forest, number)) {
      framing.push(all);
      continue;
    }
    leaves.push(span);
    if (span.waited.length === 0) work.push(all);
    else work.push(...withoutWaits(all, span.waited));
  }
  yield;
  const frames = union(framing);
  const gaps = gapsOf(work, waits, frames);
  yield;
  if (!isPathWanted) return { leaves, frames, gaps, path: NO_SHAPE.path };
  const path = yield* criticalPathSteps(forest, (number) => {
    const span = spanOf(number);
    if (span === undefined) return { start_ns: 0, end_ns: 0 };
    return { start_ns: span.offset_ns, end_ns: endOffset(span, now_ns) };
  });
  return { leaves, frames, gaps, path };
}

function isLeaf(forest: SpanForest, number: number): boolean {
  return (
    !forest.isBareDuplicate(number) &&
    forest.childrenOf(number).every((child) => forest.isBareDuplicate(child))
  );
}
