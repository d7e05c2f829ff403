/** Contexts of a session's LLM calls, requested again after spans have changed. */
import { useEffect, useMemo, useState } from 'react';
import type { SessionContext } from '../../api/types.ts';
import type { Trace } from '../../state/trace.ts';
import { askAgain } from '../parts/ask-again.ts';
import { useCell, useInspector } from '../parts/context.ts';

/** Least pause between two requests: contexts are read from whole messages. */
const REST_MS = 2000;

/**
 * Undefined before the first response, and where there is none. At an instant: those of the calls
 * that had begun by then.
 */
export function useSessionContext(trace: Trace): SessionContext | undefined {
  const { api } = useInspector();
  const [found, setFound] = useState<SessionContext>();
  const at_ns = useCell(trace.at_ns);
  const { whole } = trace;
  useEffect(() => {
    const ask = async (signal: AbortSignal) => {
      try {
        setFound(await api.contexts(whole.sessionId, signal));
        return true;
      } catch {
        return 'failed'; // what there was stays
      }
    };
    return askAgain(whole.spans, REST_MS, ask, () => whole.spans.size > 0);
  }, [api, whole]);
  return useMemo(() => {
    if (found === undefined || at_ns === undefined) return found;
    return { ...found, calls: found.calls.filter(({ offset_ns }) => offset_ns <= at_ns) };
  }, [found, at_ns]);
}
