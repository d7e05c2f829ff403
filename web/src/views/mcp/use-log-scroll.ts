/**
 * Scrolling of a log whose lines have different heights: at its end it follows new lines; elsewhere
 * the current line keeps its position, and new ones are counted.
 */
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';

interface LogScroll {
  /** Number of lines that were added below since the reader left the end. */
  readonly count: number;
  readonly follow: () => void;
}

const AT_END_PX = 24;

export function useLogScroll(
  scroller: HTMLElement | null,
  virtualizer: Virtualizer<HTMLElement, Element>,
  keys: readonly string[],
): LogScroll {
  /** The line that keeps its position: under the pointer, else the first in view. */
  const anchor = useRef<{ key: string; top_px: number } | undefined>(undefined);
  const isFollowing = useRef(false);
  const pointer_y = useRef<number | undefined>(undefined);
  const [seen, setSeen] = useState<number | undefined>(undefined);
  const count = useRef(keys.length);
  useLayoutEffect(() => {
    count.current = keys.length;
  });

  useEffect(() => {
    if (scroller === null) return;
    const note = () => {
      const offset_px = scroller.scrollTop;
      const y = offset_px + (pointer_y.current ?? 0);
      const items = virtualizer.getVirtualItems();
      const at = items.find((item) => item.end > y) ?? items[0];
      anchor.current =
        at === undefined ? undefined : { key: String(at.key), top_px: at.start - offset_px };
    };
    const onScroll = () => {
      const rest_px = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
      const isEnd = rest_px < AT_END_PX;
      isFollowing.current = isEnd && scroller.scrollHeight > scroller.clientHeight;
      setSeen((before) => (isEnd ? undefined : (before ?? count.current)));
      note();
    };
    const onMove = (event: PointerEvent) => {
      pointer_y.current = event.clientY - scroller.getBoundingClientRect().top;
      note();
    };
    const onLeave = () => {
      pointer_y.current = undefined;
      note();
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    scroller.addEventListener('pointermove', onMove, { passive: true });
    scroller.addEventListener('pointerleave', onLeave);
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('pointermove', onMove);
      scroller.removeEventListener('pointerleave', onLeave);
    };
  }, [scroller, virtualizer]);

  useLayoutEffect(() => {
    if (scroller === null) return;
    if (isFollowing.current && pointer_y.current === undefined) {
      scroller.scrollTop = scroller.scrollHeight;
      return;
    }
    const before = anchor.current;
    if (before === undefined) return;
    const at = keys.indexOf(before.key);
    const start_px = at < 0 ? undefined : virtualizer.measurementsCache[at]?.start;
    if (start_px === undefined) return;
    const wanted_px = start_px - before.top_px;
    if (Math.abs(wanted_px - scroller.scrollTop) > 1) scroller.scrollTop = wanted_px;
  }, [keys, scroller, virtualizer]);

  return {
    count: seen === undefined ? 0 : Math.max(0, keys.length - seen),
    follow: () => {
      isFollowing.current = true;
      if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
      setSeen(undefined);
    },
  };
}
