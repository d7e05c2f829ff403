/** Gaps, critical path and time axis of a session, updated while it is shown. */
import { useCallback, useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { axisOf, type Gap, type TimeAxis } from '../../model/timeline/gaps.ts';
import { NO_SHAPE, shapeSteps } from '../../model/timeline/session-shape.ts';
import type { TimeWindow } from '../../model/timeline/time-scale.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Trace } from '../../state/trace.ts';
import { useInspector } from '../parts/context.ts';
import { useStepsOverSpans } from '../parts/sliced.ts';

export interface SessionShape {
  readonly gaps: readonly Gap[];
  readonly axis: TimeAxis;
  /** What the axis is where the reader did not choose. */
  readonly areShortByDefault: boolean;
  readonly pathOf: (span: SpanRow) => readonly TimeWindow[];
  /** Spans with nothing below them but duplicates. */
  readonly leaves: readonly SpanRow[];
  /** Times in which a span with others below it runs. */
  readonly frames: readonly TimeWindow[];
}

const NONE: readonly TimeWindow[] = [];

/** `areShort`: what the reader chose; undefined while they did not. */
export function useSessionShape(
  trace: Trace,
  areShort: boolean | undefined,
  isPathShown: boolean,
): SessionShape {
  const { clock } = useInspector();
  const steps = useCallback(() => {
    const { forest, spans } = trace;
    const now_ns = clock.nowOffset_ns(trace.epoch_ns.get() ?? '0');
    const spanOf = (number: number) => spans.get(forest.keyOf(number) ?? '');
    return shapeSteps(forest, spanOf, now_ns, isPathShown);
  }, [trace, clock, isPathShown]);
  const { gaps, leaves, frames, path } = useStepsOverSpans(trace, steps, true) ?? NO_SHAPE;
  const { axis, areShortByDefault } = useMemo(() => {
    const { start_ns, end_ns } = trace.tally.extent(
      clock.nowOffset_ns(trace.epoch_ns.get() ?? '0'),
    );
    const byDefault = axisOf(gaps, end_ns - start_ns);
    return {
      axis: areShort === undefined ? byDefault : axisOf(gaps, end_ns - start_ns, areShort),
      areShortByDefault: byDefault.gaps.length > 0,
    };
  }, [trace, clock, gaps, areShort]);
  return useMemo(
    () => ({
      gaps,
      axis,
      areShortByDefault,
      leaves,
      frames,
      pathOf: (span) => path.get(trace.forest.numberOf(spanKey(span)) ?? -1) ?? NONE,
    }),
    [gaps, axis, areShortByDefault, leaves, frames, path, trace],
  );
}
