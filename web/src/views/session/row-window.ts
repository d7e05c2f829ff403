/**
 * Virtual rows of one height: those in view and a few more. They are rendered in blocks, so that
 * most frames of scrolling have nothing to do. What a leap shows is rendered alone: the next one may
 * replace it, and the rows around it follow when none does.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

const BLOCK = 8;
/** Pause after which a leap was the last one. */
const LEAP_MS = 100;

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
  /** First row in view; in whole blocks, unless it was leapt to. */
  const [top, setTop] = useState(0);
  const [isLeap, setLeap] = useState(false);
  const inView = Math.ceil(height_px / row_px);
  useEffect(() => {
    if (scroller === null) return;
    const read = () => Math.floor(scroller.scrollTop / row_px);
    let last = read();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (isNow: boolean) => {
      setLeap(isNow);
      setTop(isNow ? last : last - (last % BLOCK));
    };
    show(false);
    const onScroll = () => {
      const row = read();
      const isFar = Math.abs(row - last) > inView;
      last = row;
      clearTimeout(timer);
      if (isFar) timer = setTimeout(() => show(false), LEAP_MS);
      // In the same frame: what comes into view is there when it does.
      flushSync(() => show(isFar));
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      clearTimeout(timer);
    };
  }, [scroller, row_px, inView]);
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
  const above = isLeap ? 0 : BLOCK;
  const below = isLeap ? 1 : 2 * BLOCK;
  const first = Math.min(Math.max(0, top - above), Math.max(0, rowCount - 1));
  const end = Math.min(rowCount, top + inView + below);
  return { first, count: Math.max(0, end - first), total_px: rowCount * row_px, scrollTo };
}

/**
 * Keys of the elements that show `rows`: a row keeps its element while it is shown, and rows that
 * replace all others, but for the one of the cursor, take over theirs: to change an element costs
 * half of making one.
 */
export function useElementKeys(rows: readonly string[]): readonly number[] {
  const shown = useRef<ReadonlyMap<string, number>>(new Map());
  const elements = elementKeys(shown.current, rows);
  useLayoutEffect(() => {
    shown.current = new Map(rows.map((row, at) => [row, elements[at] ?? 0]));
  });
  return elements;
}

function elementKeys(before: ReadonlyMap<string, number>, rows: readonly string[]): number[] {
  const staying = new Set(rows.filter((row) => before.has(row)));
  const left = staying.size > 1 ? [] : [...before].filter(([row]) => !staying.has(row));
  const free = left.map(([, element]) => element).values();
  let last = Math.max(-1, ...before.values());
  return rows.map((row) => before.get(row) ?? free.next().value ?? ++last);
}
