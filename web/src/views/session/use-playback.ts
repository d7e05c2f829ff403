/** Plays a session from the instant that it is shown at, without its gaps. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { playedOn, type Speed, speedFor } from '../../model/timeline/playback.ts';
import type { TimeWindow } from '../../model/timeline/time-scale.ts';
import type { TimeTravel } from '../../state/time-travel.ts';
import { TIME_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useRoute } from '../parts/context.ts';

interface Playback {
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  readonly speed: Speed;
}

/** `extentNow`: from the first start to the last end, which grows while something runs. */
export function usePlayback(
  travel: TimeTravel,
  extentNow: () => TimeWindow,
  gaps: readonly TimeWindow[],
): Playback {
  const isPlaying = useCell(travel.isPlaying);
  const chosen = useCell(travel.speed);
  const speed = chosen ?? speedFor(extentNow(), gaps);
  const latest = useRef({ extentNow, gaps, speed });
  useLayoutEffect(() => {
    latest.current = { extentNow, gaps, speed };
  });
  useEffect(() => {
    if (!isPlaying) return;
    let last_ms = performance.now();
    let frame = requestAnimationFrame(function play(now_ms) {
      const at_ns = travel.at_ns.get();
      if (at_ns === undefined) return;
      const now = latest.current;
      const next_ns = playedOn(at_ns, (now_ms - last_ms) * 1e6 * now.speed, now.gaps);
      last_ms = now_ms;
      travel.go(next_ns < now.extentNow().end_ns ? next_ns : undefined);
      frame = requestAnimationFrame(play);
    });
    return () => cancelAnimationFrame(frame);
  }, [travel, isPlaying]);
  const toggle = useCallback(() => {
    if (travel.at_ns.get() === undefined) travel.go(latest.current.extentNow().start_ns);
    travel.isPlaying.set(!travel.isPlaying.get());
  }, [travel]);
  return { isPlaying, toggle, speed };
}

/** Keys of the time line wherever the focus is. */
export function useTravelKeys(travel: TimeTravel, focus: () => void, toggle: () => void): void {
  const isPast = useCell(travel.at_ns) !== undefined;
  const { query } = useRoute();
  // What is open is closed first, by its own Escape.
  const isInFront = isPast && !query.has('span') && !query.has('plain');
  const actions = useMemo(
    () => [
      { name: TIME_TEXT.focus, keys: ['h'], run: focus },
      { name: TIME_TEXT.playOrPause, run: toggle },
      ...(isInFront
        ? [{ name: TIME_TEXT.leave, keys: ['Escape'], run: () => travel.go(undefined) }]
        : []),
    ],
    [travel, focus, toggle, isInFront],
  );
  useActions(TIME_TEXT.where, actions);
}
