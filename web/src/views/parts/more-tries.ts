/** Further tries of what the service cannot do now, after pauses that grow. */
import { useEffect, useEffectEvent, useRef } from 'react';
import { pause_ms } from '../../state/passing.ts';

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
    failures.current += 1;
    const timer = setTimeout(() => retry(), pause_ms(failures.current));
    return () => clearTimeout(timer);
  }, [failure]);
}
