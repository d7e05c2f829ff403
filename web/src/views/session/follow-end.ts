/** At the end of the list the view follows what comes; elsewhere it says how much came. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Trace } from '../../state/trace.ts';
import { useCell } from '../context.ts';

interface NewBelow {
  readonly count: number;
  readonly follow: () => void;
}

export function useFollowEnd(scroller: HTMLElement | null, trace: Trace, row_px: number): NewBelow {
  const structure = useCell(trace.structure);
  const isFollowing = useRef(false);
  const isPointed = useRef(false);
  const [seen, setSeen] = useState<number | undefined>(undefined);
  const spans = trace.spans.size;

  useEffect(() => {
    if (scroller === null) return;
    const onScroll = () => {
      const rest = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
      const isAtEnd = scroller.scrollHeight > scroller.clientHeight && rest < row_px;
      isFollowing.current = isAtEnd;
      if (isAtEnd) setSeen(undefined);
      else setSeen((before) => before ?? trace.spans.size);
    };
    const onEnter = () => {
      isPointed.current = true;
    };
    const onLeave = () => {
      isPointed.current = false;
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    scroller.addEventListener('pointerenter', onEnter);
    scroller.addEventListener('pointerleave', onLeave);
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('pointerenter', onEnter);
      scroller.removeEventListener('pointerleave', onLeave);
    };
  }, [scroller, trace, row_px]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when rows came
  useLayoutEffect(() => {
    if (scroller === null || !isFollowing.current || isPointed.current) return;
    scroller.scrollTop = scroller.scrollHeight;
  }, [structure, scroller]);

  const follow = () => {
    if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
    setSeen(undefined);
  };
  return { count: seen === undefined ? 0 : Math.max(0, spans - seen), follow };
}
