/**
 * Virtual rows of one height: those in view and a few more. They are rendered in blocks, so that
 * most frames of scrolling have nothing to do; those of a leap alone.
 */
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLeaping } from '../parts/leaping.ts';

const BLOCK = 8;

interface RowWindow {
  /** The first row in the document, and their number. */
  readonly first: number;
  readonly count: number;
  readonly total_px: number;
}

export function useRowWindow(
  scroller: HTMLElement | null,
  rowCount: number,
  row_px: number,
  height_px: number,
): RowWindow {
  const isLeaping = useLeaping(scroller);
  const step = isLeaping ? 1 : BLOCK;
  /** First row in view, or the first one of its block. */
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (scroller === null) return;
    const read = () => Math.floor(scroller.scrollTop / (row_px * step)) * step;
    setTop(read());
    // In the same frame: what comes into view is there when it does.
    const onScroll = () => flushSync(() => setTop(read()));
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [scroller, row_px, step]);
  const [above, below] = isLeaping ? [0, 1] : [BLOCK, 2 * BLOCK];
  const first = Math.min(Math.max(0, top - above), Math.max(0, rowCount - 1));
  const end = Math.min(rowCount, top + Math.ceil(height_px / row_px) + below);
  return { first, count: Math.max(0, end - first), total_px: rowCount * row_px };
}

/**
 * Keys of the elements that show `rows`: a row keeps its element while it is shown, and rows that
 * replace all others, but for the one of the cursor, take over theirs: to change an element costs
 * half of making one.
 */
export function useElementKeys(rows: readonly string[]): ReadonlyMap<string, number> {
  const shown = useRef<ReadonlyMap<string, number>>(new Map());
  const elements = elementKeys(shown.current, rows);
  useLayoutEffect(() => {
    shown.current = elements;
  });
  return elements;
}

function elementKeys(
  before: ReadonlyMap<string, number>,
  rows: readonly string[],
): ReadonlyMap<string, number> {
  const staying = new Set(rows.filter((row) => before.has(row)));
  const left = staying.size > 1 ? [] : [...before].filter(([row]) => !staying.has(row));
  const free = left.map(([, element]) => element).values();
  let last = Math.max(-1, ...before.values());
  return new Map(rows.map((row) => [row, before.get(row) ?? free.next().value ?? ++last]));
}
