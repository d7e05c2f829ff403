/** What is seen of a session only from all its spans, while it is looked at. */
import { useEffect, useMemo, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { inSlices, nextTask, SteppedWork } from '../../model/slices.ts';
import { type Gap, TimeAxis } from '../../model/timeline/gaps.ts';
import { NO_SHAPE, shapeSteps } from '../../model/timeline/session-shape.ts';
import type { TimeWindow } from '../../model/timeline/time-scale.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Trace } from '../../state/trace.ts';
import { useInspector } from '../parts/context.ts';
import { useSlowVersion } from '../parts/slow-version.ts';

export interface SessionShape {
  readonly gaps: readonly Gap[];
  readonly axis: TimeAxis;
  readonly pathOf: (span: SpanRow) => readonly TimeWindow[];
  /** Spans with nothing below them but twins. */
  readonly leaves: readonly SpanRow[];
}

const NONE: readonly TimeWindow[] = [];

export function useSessionShape(
  trace: Trace,
  isShort: boolean,
  isPathShown: boolean,
): SessionShape {
  const { clock } = useInspector();
  const version = useSlowVersion(trace, true);
  const [seen, setSeen] = useState({ of: -1, ...NO_SHAPE });
  // A look that has begun is finished before the next: where work is slow, none ever would be.
  const [look, setLook] = useState(version);
  if (seen.of === look && look !== version) setLook(version);
  useEffect(() => {
    const { forest, spans } = trace;
    const now_ns = clock.nowOffset_ns(trace.epoch_ns.get() ?? '0');
    const spanOf = (number: number) => spans.get(forest.keyOf(number) ?? '');
    const work = new SteppedWork(shapeSteps(forest, spanOf, now_ns, isPathShown));
    const calling = new AbortController();
    inSlices(work, { signal: calling.signal, pause: nextTask }).then(
      () => setSeen({ of: look, ...(work.result ?? NO_SHAPE) }),
      () => {}, // called off
    );
    return () => calling.abort();
  }, [trace, clock, look, isPathShown]);

  const { gaps, leaves, path } = seen;
  const axis = useMemo(() => {
    const { start_ns, end_ns } = trace.tally.extent(
      clock.nowOffset_ns(trace.epoch_ns.get() ?? '0'),
    );
    return isShort ? new TimeAxis(gaps, end_ns - start_ns) : new TimeAxis();
  }, [trace, clock, gaps, isShort]);
  return useMemo(
    () => ({
      gaps,
      axis,
      leaves,
      pathOf: (span) => path.get(trace.forest.numberOf(spanKey(span)) ?? -1) ?? NONE,
    }),
    [gaps, axis, leaves, path, trace],
  );
}
