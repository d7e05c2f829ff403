/**
 * Version of a trace for views that read every span: it changes some time after the spans, not with
 * each change.
 */
import { useEffect, useState } from 'react';
import type { Trace } from '../../state/trace.ts';

/** Number of spans → pause: reading very many takes longer than a frame. */
const PAUSES_MS = [
  [2000, 100],
  [20_000, 500],
  [Number.POSITIVE_INFINITY, 3000],
] as const;

/**
 * Version that changes some time after the spans, and continually while some run (`isGrowing`).
 * During the load of a large session it stays until all pages are there.
 */
export function useSlowVersion({ spans, tally, state }: Trace, isGrowing = false): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      const pause_ms = PAUSES_MS.find(([most]) => spans.size <= most)?.[1];
      timer ??= setTimeout(() => {
        timer = undefined;
        if (state.get().kind === 'loading' && spans.size > PAUSES_MS[0][0]) return;
        setVersion((before) => before + 1);
        if (isGrowing && tally.running.size > 0) later();
      }, pause_ms);
    };
    later();
    const stops = [spans.subscribe(later), state.subscribe(later)];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer);
    };
  }, [spans, tally, state, isGrowing]);
  return version;
}
