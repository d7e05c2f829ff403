/** Loads the selected span, and loads it again when its row has changed. */
import { useEffect, useReducer, useRef, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { passing } from '../../state/passing.ts';
import { failed, type LoadState } from '../../state/sessions.ts';
import type { LoadedSpan } from '../../state/span-details.ts';
import { useInspector } from '../parts/context.ts';
import { useMoreTries } from '../parts/more-tries.ts';

export interface SpanLoad {
  /** The span, perhaps in an older version while the newer one is loading. */
  readonly loaded: LoadedSpan | undefined;
  readonly problem: string | undefined;
}

interface Load {
  readonly of: string;
  readonly loaded: LoadedSpan | undefined;
  readonly state: LoadState;
}

/** Pause before a request, so that walking through the tree does not load every row. */
const SETTLE_MS = 60;
/** Least time between two requests for a running span. */
const REFRESH_MS = 700;

export function useSpanLoad(
  sessionId: string,
  selected: string,
  row: SpanRow | undefined,
): SpanLoad {
  const { details } = useInspector();
  const [state, setState] = useState<Load>(() => known(selected));
  function known(key: string): Load {
    return { of: key, loaded: details.peek(sessionId, key), state: { kind: 'loading' } };
  }
  const [tries, again] = useReducer((count: number) => count + 1, 0);
  useMoreTries(state.of === selected ? passing(state.state) : undefined, again);
  const requested_ms = useRef(Number.NEGATIVE_INFINITY);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more
  useEffect(() => {
    if (row === undefined) return;
    const key = spanKey(row);
    const have = details.peek(sessionId, key);
    if (have !== undefined && have.row === row) return;
    const loading = new AbortController();
    // From the last one on, not from this change: an answer that streams changes all the time.
    const left_ms = Math.max(requested_ms.current + REFRESH_MS - performance.now(), 0);
    const timer = setTimeout(
      () => {
        requested_ms.current = performance.now();
        details.load(sessionId, row, loading.signal).then(
          (loaded) => setState({ of: key, loaded, state: { kind: 'ready' } }),
          (error: unknown) => {
            if (loading.signal.aborted) return;
            setState({ of: key, loaded: details.peek(sessionId, key), state: failed(error) });
          },
        );
      },
      have === undefined ? SETTLE_MS : row.status === 'running' ? left_ms : 0,
    );
    return () => {
      clearTimeout(timer);
      loading.abort();
    };
  }, [details, sessionId, row, tries]);
  const { loaded, state: last } = state.of === selected ? state : known(selected);
  return { loaded, problem: last.kind === 'failed' ? last.message : undefined };
}
