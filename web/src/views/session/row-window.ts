/**
 * Virtual rows of one height: those in view and a few more. They are rendered in blocks, so that
 * most frames of scrolling have nothing to do.
 */
import { useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

const BLOCK = 8;

interface RowWindow {
  /** The first row in the document, and their number. */
  readonly first: number;
  readonly count: number;
  readonly total_px: number;
  /** Scroll by the least distance that shows the row. */
  readonly scrollTo: (row: number) => void;
}

export function useRowWindow(
  scroller: HTMLElement | null,
  rowCount: number,
  row_px: number,
  height_px: number,
): RowWindow {
  const [block, setBlock] = useState(0);
  useEffect(() => {
    if (scroller === null) return;
    const read = () => Math.floor(scroller.scrollTop / (row_px * BLOCK));
    setBlock(read());
    // In the same frame: what comes into view is there when it does.
    const onScroll = () => flushSync(() => setBlock(read()));
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [scroller, row_px]);
  const scrollTo = useCallback(
    (row: number) => {
      if (scroller === null) return;
      const top = row * row_px;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top + row_px > scroller.scrollTop + height_px) {
        scroller.scrollTop = top + row_px - height_px;
      }
    },
    [scroller, row_px, height_px],
  );
  const first = Math.min(Math.max(0, (block - 1) * BLOCK), Math.max(0, rowCount - 1));
  const inView = Math.ceil(height_px / row_px);
  const end = Math.min(rowCount, (block + 2) * BLOCK + inView);
  return { first, count: Math.max(0, end - first), total_px: rowCount * row_px, scrollTo };
}
