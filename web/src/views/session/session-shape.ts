/** What is seen of a session only from all its spans: gaps, the critical path, the minimap. */
import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { type CriticalPath, criticalPath } from '../../model/critical-path.ts';
import { type Gap, gapsOf, TimeAxis, waitsOf, withoutWaits } from '../../model/gaps.ts';
import { endOffset } from '../../model/span-status.ts';
import { spanKey } from '../../model/span-tree.ts';
import type { TimeWindow } from '../../model/time-scale.ts';
import type { Trace } from '../../state/trace.ts';
import { useInspector } from '../context.ts';
import { useSlowVersion } from './slow-version.ts';

export interface SessionShape {
  readonly gaps: readonly Gap[];
  readonly axis: TimeAxis;
  readonly pathOf: (span: SpanRow) => readonly TimeWindow[];
  /** Spans with nothing below them but twins. */
  readonly leaves: readonly SpanRow[];
}

const NO_PATH: CriticalPath = new Map();
const NONE: readonly TimeWindow[] = [];
export function useSessionShape(
  trace: Trace,
  isShort: boolean,
  isPathShown: boolean,
): SessionShape {
  const { clock } = useInspector();
  const version = useSlowVersion(trace, true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when to look again
  const seen = useMemo(() => {
    const now_ns = clock.nowOffset_ns(trace.epoch_ns.get() ?? '0');
    const leaves = leavesOf(trace);
    const work = leaves.flatMap((span) =>
      withoutWaits({ start_ns: span.offset_ns, end_ns: endOffset(span, now_ns) }, span.waited),
    );
    const waits: TimeWindow[] = [];
    for (const span of trace.spans.values()) {
      if (span.waited.length > 0) waits.push(...waitsOf(span.waited, endOffset(span, now_ns)));
    }
    return { leaves, gaps: gapsOf(work, waits), extent: trace.tally.extent(now_ns), now_ns };
  }, [trace, version, clock]);
  const axis = useMemo(() => {
    const { gaps, extent } = seen;
    return isShort ? new TimeAxis(gaps, extent.end_ns - extent.start_ns) : new TimeAxis();
  }, [seen, isShort]);
  const path = useMemo(
    () => (isPathShown ? pathThrough(trace, seen.now_ns) : NO_PATH),
    [trace, seen, isPathShown],
  );
  return useMemo(
    () => ({
      gaps: seen.gaps,
      axis,
      leaves: seen.leaves,
      pathOf: (span) => path.get(trace.forest.numberOf(spanKey(span)) ?? -1) ?? NONE,
    }),
    [seen, axis, path, trace],
  );
}

function leavesOf({ forest, spans }: Trace): SpanRow[] {
  const leaves: SpanRow[] = [];
  for (let number = 0; number < forest.size; number += 1) {
    if (forest.isBareTwin(number)) continue;
    if (!forest.childrenOf(number).every((child) => forest.isBareTwin(child))) continue;
    const span = spans.get(forest.keyOf(number) ?? '');
    if (span !== undefined) leaves.push(span);
  }
  return leaves;
}

function pathThrough({ forest, spans }: Trace, now_ns: number): CriticalPath {
  return criticalPath(forest, (number) => {
    const span = spans.get(forest.keyOf(number) ?? '');
    if (span === undefined) return { start_ns: 0, end_ns: 0 };
    return { start_ns: span.offset_ns, end_ns: endOffset(span, now_ns) };
  });
}
