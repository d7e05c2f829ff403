/** Virtual rows of a long list: those in view and a few more. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect } from 'react';
import { useLeaping } from './leaping.ts';

const OVERSCAN = 12;

/** `keyAt`: stable while the rows are, because a new function recomputes all positions. */
export function useRows(
  scroller: HTMLElement | null,
  count: number,
  row_px: number,
  keyAt: (index: number) => string | undefined,
): Virtualizer<HTMLElement, Element> {
  const isLeaping = useLeaping(scroller);
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count,
    getScrollElement: useCallback(() => scroller, [scroller]),
    estimateSize: useCallback(() => row_px, [row_px]),
    getItemKey: useCallback((index: number) => keyAt(index) ?? index, [keyAt]),
    overscan: isLeaping ? 0 : OVERSCAN,
  });
  useEffect(() => {
    if (row_px > 0) virtualizer.measure();
  }, [row_px, virtualizer]);
  return virtualizer;
}
