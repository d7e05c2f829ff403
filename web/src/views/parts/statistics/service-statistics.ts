/** Statistics from the service, requested again after spans have changed. */
import { useEffect, useState } from 'react';
import type { SessionStatistics } from '../../../api/types.ts';
import type { Trace } from '../../../state/trace.ts';
import { useInspector } from '../context.ts';

/** Least pause between two requests, and its multiple of the duration of the last one. */
const REST_MS = 400;
const REST_TIMES = 5;

interface ServiceStatistics {
  /** Undefined before the first response. */
  readonly statistics: SessionStatistics | undefined;
  /** Error of the last request. */
  readonly problem: string | undefined;
}

/** `totals`: include operations, models, tools and agents. */
export function useServiceStatistics(trace: Trace, totals: boolean): ServiceStatistics {
  const { api } = useInspector();
  const [state, setState] = useState<ServiceStatistics>({
    statistics: undefined,
    problem: undefined,
  });
  useEffect(() => {
    const abort = new AbortController();
    let rest: ReturnType<typeof setTimeout> | undefined;
    let [isRequesting, requested] = [false, -1];
    const request = async () => {
      if (isRequesting || rest !== undefined || requested === trace.spans.version) return;
      if (trace.spans.size === 0) return;
      isRequesting = true;
      requested = trace.spans.version;
      const begun_ms = performance.now();
      try {
        const statistics = await api.statistics(trace.sessionId, { totals }, abort.signal);
        setState({ statistics, problem: undefined });
      } catch (error) {
        if (abort.signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        requested = -1; // again after the rest, with nothing new, too
        setState(({ statistics }) => ({ statistics, problem }));
      }
      isRequesting = false;
      const took_ms = performance.now() - begun_ms;
      rest = setTimeout(
        () => {
          rest = undefined;
          void request();
        },
        Math.max(REST_MS, took_ms * REST_TIMES),
      );
    };
    const unsubscribe = trace.spans.subscribe(() => void request());
    void request();
    return () => {
      unsubscribe();
      abort.abort();
      clearTimeout(rest);
    };
  }, [api, trace, totals]);
  return state;
}
