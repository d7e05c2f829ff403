/** Follows a list's end: there the view scrolls with new rows; elsewhere they are counted. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Trace } from '../../state/trace.ts';
import { useCell } from '../parts/context.ts';

interface NewBelow {
  readonly count: number;
  readonly follow: () => void;
}

export function useFollowEnd(
  scroller: HTMLElement | null,
  trace: Trace,
  isScrollable: boolean,
  isAtEnd: () => boolean,
  rowCount: number,
): NewBelow {
  const isPointed = useRef(false);
  /** Whether the reader was at the end before these rows came. */
  const isFollowing = useRef(false);
  const [seen, setSeen] = useState<number | undefined>(undefined);
  const spans = trace.spans.size;
  const isReady = useCell(trace.state).kind === 'ready';
  const latest = useRef(isAtEnd);
  useLayoutEffect(() => {
    latest.current = isAtEnd;
  });

  useEffect(() => {
    if (scroller === null) return;
    const onEnter = () => {
      isPointed.current = true;
    };
    const onLeave = () => {
      isPointed.current = false;
    };
    scroller.addEventListener('pointerenter', onEnter);
    scroller.addEventListener('pointerleave', onLeave);
    return () => {
      scroller.removeEventListener('pointerenter', onEnter);
      scroller.removeEventListener('pointerleave', onLeave);
    };
  }, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when rows came
  useLayoutEffect(() => {
    if (scroller === null || !isFollowing.current || isPointed.current) return;
    scroller.scrollTop = scroller.scrollHeight;
  }, [rowCount, scroller]);

  useEffect(() => {
    if (scroller === null) return;
    // Only the reader's own scrolling begins or ends following.
    const onScroll = () => {
      const isEnd = latest.current();
      isFollowing.current = isScrollable && isEnd;
      if (isEnd) setSeen(undefined);
      else setSeen((before) => before ?? trace.spans.size);
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [scroller, trace, isScrollable]);

  // Rows of the first read are not new.
  useEffect(() => {
    if (isReady) setSeen((before) => before && trace.spans.size);
  }, [isReady, trace]);

  const follow = () => {
    isFollowing.current = true;
    if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
    setSeen(undefined);
  };
  return { count: seen === undefined || !isReady ? 0 : Math.max(0, spans - seen), follow };
}
