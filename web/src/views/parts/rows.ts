/** Virtual rows of a long list: those in view and a few more. */
import {
  defaultRangeExtractor,
  type Range,
  useVirtualizer,
  type Virtualizer,
} from '@tanstack/react-virtual';
import { useCallback, useEffect } from 'react';
import { useLeaping } from './leaping.ts';

const OVERSCAN = 12;

/**
 * Args:
 *   keyAt: Stable while the rows are, because a new function recomputes all positions.
 *   steady: Index of the current row; -1: none.
 */
export function useRows(
  scroller: HTMLElement | null,
  count: number,
  row_px: number,
  keyAt: (index: number) => string | undefined,
  steady = -1,
): Virtualizer<HTMLElement, Element> {
  const isLeaping = useLeaping(scroller);
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count,
    getScrollElement: useCallback(() => scroller, [scroller]),
    estimateSize: useCallback(() => row_px, [row_px]),
    getItemKey: useCallback((index: number) => keyAt(index) ?? index, [keyAt]),
    overscan: isLeaping ? 0 : OVERSCAN,
    rangeExtractor: useRangeWith(steady),
  });
  useEffect(() => {
    if (row_px > 0) virtualizer.measure();
  }, [row_px, virtualizer]);
  return virtualizer;
}

/** Rows in the document: those in view and around it, and the current one, which has the focus. */
export function useRangeWith(steady: number): (range: Range) => number[] {
  return useCallback(
    (range) => {
      const rows = defaultRangeExtractor(range);
      if (steady < 0 || steady >= range.count || rows.includes(steady)) return rows;
      return steady < range.startIndex ? [steady, ...rows] : [...rows, steady];
    },
    [steady],
  );
}
