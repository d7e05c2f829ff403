/** Loads the selected span, and loads it again when its row has changed. */
import { useEffect, useRef, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { LoadedSpan } from '../../state/span-details.ts';
import { useInspector } from '../parts/context.ts';

export interface SpanLoad {
  /** The span, perhaps in an older version while the newer one is loading. */
  readonly loaded: LoadedSpan | undefined;
  readonly problem: string | undefined;
}

/** Pause before a request, so that walking through the tree does not load every row. */
const SETTLE_MS = 60;
/** Least time between two requests for a running span. */
const REFRESH_MS = 700;

export function useSpanLoad(selected: string, row: SpanRow | undefined): SpanLoad {
  const { details } = useInspector();
  const [state, setState] = useState<SpanLoad & { readonly of: string }>(() => known(selected));
  function known(key: string) {
    return { of: key, loaded: details.peek(key), problem: undefined };
  }
  const requested_ms = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (row === undefined) return;
    const key = spanKey(row);
    const have = details.peek(key);
    if (have !== undefined && have.row === row) return;
    const loading = new AbortController();
    // From the last one on, not from this change: an answer that streams changes all the time.
    const left_ms = Math.max(requested_ms.current + REFRESH_MS - performance.now(), 0);
    const timer = setTimeout(
      () => {
        requested_ms.current = performance.now();
        details.load(row, loading.signal).then(
          (loaded) => setState({ of: key, loaded, problem: undefined }),
          (error: unknown) => {
            if (loading.signal.aborted) return;
            const problem = error instanceof Error ? error.message : String(error);
            setState({ of: key, loaded: details.peek(key), problem });
          },
        );
      },
      have === undefined ? SETTLE_MS : row.status === 'running' ? left_ms : 0,
    );
    return () => {
      clearTimeout(timer);
      loading.abort();
    };
  }, [details, row]);
  return state.of === selected ? state : known(selected);
}
