/** Statistics from the service, requested again after spans have changed. */
import { useEffect, useState } from 'react';
import type { SessionStatistics } from '../../../api/types.ts';
import type { Trace } from '../../../state/trace.ts';
import { askAgain } from '../ask-again.ts';
import { useInspector } from '../context.ts';

/** Least pause between two requests. */
const REST_MS = 400;

interface ServiceStatistics {
  /** Undefined before the first response. */
  readonly statistics: SessionStatistics | undefined;
  /** Error of the last request. */
  readonly problem: string | undefined;
}

/**
 * `totals`: include operations, models, tools and agents. At an instant: of what there was then, as
 * soon as the reader stays at it.
 */
export function useServiceStatistics(trace: Trace, totals: boolean): ServiceStatistics {
  const { api } = useInspector();
  const [state, setState] = useState<ServiceStatistics>({
    statistics: undefined,
    problem: undefined,
  });
  useEffect(() => {
    const ask = async (signal: AbortSignal) => {
      try {
        const at_ns = trace.at_ns.get();
        const statistics = await api.statistics(trace.sessionId, { totals, at_ns }, signal);
        setState({ statistics, problem: undefined });
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        const problem = error instanceof Error ? error.message : String(error);
        setState(({ statistics }) => ({ statistics, problem }));
        return 'failed';
      }
    };
    return askAgain(trace.spans, REST_MS, ask, () => trace.whole.spans.size > 0);
  }, [api, trace, totals]);
  return state;
}
