/**
 * Leaps of a scroller, such as those of a dragged scrollbar: each replaces all that is in view.
 *
 * What surrounds the view is worth its rendering only where the reader stays.
 */
import { useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Pause after which a leap was the last one. */
const LEAP_MS = 100;

/** Whether the reader leaps now. Call before the hook that renders what is in view. */
export function useLeaping(scroller: HTMLElement | null): boolean {
  const [isLeaping, setLeaping] = useState(false);
  useLayoutEffect(() => {
    if (scroller === null) return;
    let last_px = scroller.scrollTop;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      const top_px = scroller.scrollTop;
      const isFar = Math.abs(top_px - last_px) > scroller.clientHeight;
      last_px = top_px;
      if (!isFar) return;
      clearTimeout(timer);
      timer = setTimeout(() => setLeaping(false), LEAP_MS);
      flushSync(() => setLeaping(true));
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      clearTimeout(timer);
    };
  }, [scroller]);
  return isLeaping;
}
