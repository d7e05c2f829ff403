/** What rows do not hold and the service reads: streams, cache, hand-offs, agents. Asked anew in peace. */
import { useEffect, useState } from 'react';
import type { SessionStatistics } from '../../../api/types.ts';
import type { Trace } from '../../../state/trace.ts';
import { useInspector } from '../context.ts';

const REST_MS = 3000;
const REST_TIMES = 10;

export interface Told {
  readonly told: SessionStatistics | undefined;
  readonly problem: string | undefined;
}

export function useTold(trace: Trace): Told {
  const { api } = useInspector();
  const [state, setState] = useState<Told>({ told: undefined, problem: undefined });
  useEffect(() => {
    const abort = new AbortController();
    let rest: ReturnType<typeof setTimeout> | undefined;
    let [isAsking, asked] = [false, -1];
    const ask = async () => {
      if (isAsking || rest !== undefined || asked === trace.spans.version) return;
      if (trace.spans.size === 0) return;
      isAsking = true;
      asked = trace.spans.version;
      const begun_ms = performance.now();
      try {
        const told = await api.statistics(trace.sessionId, { totals: false }, abort.signal);
        setState({ told, problem: undefined });
      } catch (error) {
        if (abort.signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        asked = -1; // again after the rest, with nothing new, too
        setState(({ told }) => ({ told, problem }));
      }
      isAsking = false;
      const took_ms = performance.now() - begun_ms;
      rest = setTimeout(
        () => {
          rest = undefined;
          void ask();
        },
        Math.max(REST_MS, took_ms * REST_TIMES),
      );
    };
    const unsubscribe = trace.spans.subscribe(() => void ask());
    void ask();
    return () => {
      unsubscribe();
      abort.abort();
      clearTimeout(rest);
    };
  }, [api, trace]);
  return state;
}
