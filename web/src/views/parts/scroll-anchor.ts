/**
 * Scroll anchor: when rows come and go, the row under the pointer, else the first in view, keeps
 * its position.
 */
import { useEffect, useLayoutEffect, useRef } from 'react';

interface Anchoring {
  readonly scroller: HTMLElement | null;
  readonly row_px: number;
  readonly count: number;
  readonly keyAt: (index: number) => string | undefined;
  /** A new identity for every new arrangement of rows. */
  readonly of: unknown;
  /** Key of the row with the focus: it keeps its position if no row is under the pointer. */
  readonly focusedKey?: (() => string | undefined) | undefined;
  /** Height of what lies above the first row inside the scroller and does not scroll. */
  readonly head_px?: number;
}

export function useScrollAnchor(next: Anchoring): void {
  const { scroller, of } = next;
  const shown = useRef(next);
  const pointer_y = useRef<number | undefined>(undefined);

  useEffect(() => {
    if (scroller === null) return;
    const onMove = (event: PointerEvent) => {
      pointer_y.current = event.clientY - scroller.getBoundingClientRect().top;
    };
    const onLeave = () => {
      pointer_y.current = undefined;
    };
    scroller.addEventListener('pointermove', onMove, { passive: true });
    scroller.addEventListener('pointerleave', onLeave);
    return () => {
      scroller.removeEventListener('pointermove', onMove);
      scroller.removeEventListener('pointerleave', onLeave);
    };
  }, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the rows are others
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = next;
    if (scroller === null || before.of === of || before.row_px !== next.row_px) return;
    const isAtTop = scroller.scrollTop < next.row_px / 2;
    const y = pointer_y.current;
    const focused = y === undefined ? next.focusedKey?.() : undefined;
    const focusedAt = focused === undefined ? undefined : indexOf(before, focused, 0);
    // At the top, with nobody pointing at a row, new rows are simply shown.
    if (isAtTop && y === undefined && focusedAt === undefined) return;
    const at =
      focusedAt ??
      Math.floor((scroller.scrollTop + (y ?? 0) - (next.head_px ?? 0)) / before.row_px);
    const anchor = before.keyAt(Math.min(Math.max(at, 0), before.count - 1));
    if (anchor === undefined) return;
    const now = indexOf(next, anchor, at);
    if (now === undefined || now === at) return;
    scroller.scrollTop += (now - at) * next.row_px;
  }, [of]);
}

/** Index of a row, searched around its old one first: most rows move little. */
function indexOf({ count, keyAt }: Anchoring, key: string, near: number): number | undefined {
  for (let away = 0; away < count; away += 1) {
    if (keyAt(near + away) === key) return near + away;
    if (keyAt(near - away) === key) return near - away;
  }
  return undefined;
}
