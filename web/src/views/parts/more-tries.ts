/** Further tries of what the service cannot do now, after pauses that grow. */
import { useEffect, useEffectEvent, useRef } from 'react';
import type { LoadState } from '../../state/sessions.ts';

const FIRST_MS = 2000;
const MOST_MS = 15_000;
/** Statuses of what may work later: there is no answer, or a part of the service is away. */
const PASSING = new Set([0, 503]);

/** Pause before the next try after so many that failed. */
export function pause_ms(failures: number): number {
  return Math.min(FIRST_MS * 2 ** failures, MOST_MS);
}

/** The failure, if it may pass by itself. */
export function passing(state: LoadState): LoadState | undefined {
  return state.kind === 'failed' && PASSING.has(state.status) ? state : undefined;
}

/**
 * Call `again` after each failure, until there is none. `failure`: another object each time; it stays
 * while a try is on its way.
 */
export function useMoreTries(failure: object | undefined, again: () => void): void {
  const failures = useRef(0);
  const retry = useEffectEvent(again);
  useEffect(() => {
    if (failure === undefined) {
      failures.current = 0;
      return;
    }
    const timer = setTimeout(() => retry(), pause_ms(failures.current));
    failures.current += 1;
    return () => clearTimeout(timer);
  }, [failure]);
}
