/** Follows a list's end: there the view scrolls with new rows; elsewhere they are counted. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Rows } from '../../model/trace/span-forest.ts';
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
  rows: Pick<Rows, 'count' | 'rowOf'>,
): NewBelow {
  const isPointed = useRef(false);
  /** Whether the reader was at the end before these rows came. */
  const isFollowing = useRef(false);
  /** Number of spans that there were when the end was left; spans are numbered as they come. */
  const [seen, setSeen] = useState<number | undefined>(undefined);
  const isReady = useCell(trace.state).kind === 'ready';
  const latest = useRef({ isAtEnd, rows });
  useLayoutEffect(() => {
    latest.current = { isAtEnd, rows };
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
  }, [rows.count, scroller]);

  useEffect(() => {
    if (scroller === null) return;
    // Only the reader's own scrolling begins or ends following.
    const onScroll = () => {
      const isEnd = latest.current.isAtEnd();
      isFollowing.current = isScrollable && isEnd;
      if (isEnd) setSeen(undefined);
      else setSeen((before) => before ?? latest.current.rows.rowOf.length);
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [scroller, isScrollable]);

  // Rows of the first read are not new.
  useEffect(() => {
    if (isReady) setSeen((before) => before && latest.current.rows.rowOf.length);
  }, [isReady]);

  const follow = () => {
    isFollowing.current = true;
    if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
    setSeen(undefined);
  };
  const isCounted = seen !== undefined && isReady;
  // What is folded or filtered out has no row to scroll to.
  const count = isCounted ? rows.rowOf.subarray(seen).reduce(addShown, 0) : 0;
  return { count, follow };
}

function addShown(count: number, row: number): number {
  return row < 0 ? count : count + 1;
}
