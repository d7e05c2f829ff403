/**
 * Scrolling of entries of any height: when they come, grow or go, the text in view keeps its
 * position.
 */
import {
  measureElement,
  type ReactVirtualizer,
  useVirtualizer,
  type VirtualItem,
  type Virtualizer,
} from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Entry } from '../../model/transcript/transcript.ts';
import { useLeaping } from '../parts/leaping.ts';
import { useRangeWith } from '../parts/rows.ts';

const OVERSCAN = 6;
/** Distance from the end that counts as at the end. */
const NEAR_END_PX = 48;

/** Height of the first entries; later ones are as high as those of their kind before them. */
const ESTIMATES: Readonly<Record<Entry['type'], number>> = {
  agent: 44,
  end: 36,
  call: 84,
  said: 60,
  tool: 92,
  line: 32,
  heading: 34,
};
const CARD_PX = 150;
/** Number of entries of a kind whose heights count, about. */
const RECENT = 16;

function isCard({ type, isFolded }: Entry): boolean {
  return type === 'agent' && isFolded;
}

function kindOf(entry: Entry): string {
  return isCard(entry) ? 'card' : entry.type;
}

type EntryMeasurer = Virtualizer<HTMLElement, Element>;
type EntryVirtualizer = ReactVirtualizer<HTMLElement, Element>;

export interface Scrolling {
  readonly virtualizer: EntryVirtualizer;
  /** Number of entries that were added below while the reader was elsewhere. */
  readonly newBelow: number;
  readonly follow: () => void;
  /**
   * Lead the reader to an entry: one that was looked for to the middle. It stays in view while
   * others grow, until the reader scrolls.
   */
  readonly show: (index: number, hasFocus: boolean) => void;
}

export function useEntryScrolling(
  scroller: HTMLElement | null,
  entries: readonly Entry[],
  isLive: boolean,
  /** Undefined while it is not known whether the session runs. */
  startsAtEnd: boolean | undefined,
  anchored: number,
): Scrolling {
  const isLeaping = useLeaping(scroller);
  const isFollowing = useRef(false);
  const hasStarted = useRef(false);
  useLayoutEffect(() => {
    if (hasStarted.current || entries.length === 0 || startsAtEnd === undefined) return;
    hasStarted.current = true;
    // A reader who comes back finds the entry that was current.
    isFollowing.current = startsAtEnd && anchored < 0;
  }, [entries, startsAtEnd, anchored]);
  const followed_px = useRef(0);
  const keepEnd = useCallback(
    (total_px: number) => {
      if (total_px === followed_px.current) return;
      followed_px.current = total_px;
      if (scroller !== null && isFollowing.current) scroller.scrollTop = scroller.scrollHeight;
    },
    [scroller],
  );
  const heights = useRef(new Map<string, number>());
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count: entries.length,
    getScrollElement: useCallback(() => scroller, [scroller]),
    // Too high an estimate leaves a part of the view empty after a leap, too low a one fills it
    // with entries that are pushed out again.
    estimateSize: useCallback(
      (index: number) => {
        const entry = entries[index];
        if (entry === undefined) return 40;
        const first_px = isCard(entry) ? CARD_PX : ESTIMATES[entry.type];
        return Math.round(heights.current.get(kindOf(entry)) ?? first_px);
      },
      [entries],
    ),
    measureElement: useCallback(
      (element: Element, ...how: [ResizeObserverEntry | undefined, EntryMeasurer]) => {
        const size_px = measureElement(element, ...how);
        const entry = entries[how[1].indexFromElement(element)];
        if (entry === undefined) return size_px;
        const known_px = heights.current.get(kindOf(entry)) ?? size_px;
        heights.current.set(kindOf(entry), known_px + (size_px - known_px) / RECENT);
        return size_px;
      },
      [entries],
    ),
    getItemKey: useCallback((index: number) => entries[index]?.id ?? index, [entries]),
    overscan: isLeaping ? 0 : OVERSCAN,
    rangeExtractor: useRangeWith(anchored),
    // An entry that is measured moves those below it, and renders none of them.
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    onChange: (instance) => {
      keepEnd(instance.getTotalSize());
      keepShown();
    },
  });
  const shown = useRef<string | undefined>(undefined);
  const keepShown = (align: 'auto' | 'center' = 'center') => {
    const index = entries.findIndex(({ id }) => id === shown.current);
    const item = virtualizer.measurementsCache[index];
    if (scroller === null || item === undefined || isInView(scroller, item)) return;
    const isHigher = item.size > scroller.clientHeight;
    virtualizer.scrollToIndex(index, { align: isHigher ? 'start' : align });
  };
  useAnchor(scroller, entries, virtualizer);
  useLayoutEffect(() => {
    keepEnd(virtualizer.getTotalSize());
    keepShown();
  });
  const end = useEnd(scroller, entries.length, isFollowing, shown, isLive);
  const show = (index: number, hasFocus: boolean) => {
    isFollowing.current = false;
    shown.current = entries[index]?.id;
    keepShown(hasFocus ? 'auto' : 'center');
  };
  return { virtualizer, ...end, show };
}

/** Height of an entry that is to be in view. */
const LEAST_IN_VIEW_PX = 120;

function isInView({ scrollTop, clientHeight }: HTMLElement, { start, size }: VirtualItem): boolean {
  const end_px = start + Math.min(size, LEAST_IN_VIEW_PX);
  return start >= scrollTop && end_px <= scrollTop + clientHeight;
}

/** Keep the first entry in view in place when others come or go above it. */
function useAnchor(
  scroller: HTMLElement | null,
  entries: readonly Entry[],
  virtualizer: EntryVirtualizer,
): void {
  const anchor = useRef<{ id: string; under_px: number } | undefined>(undefined);
  const shown = useRef(entries);
  useLayoutEffect(() => {
    if (scroller === null) return;
    const note = () => {
      const top_px = scroller.scrollTop;
      const first = virtualizer
        .getVirtualItems()
        .find(({ start, size }) => start + size > top_px + 1);
      const id = first === undefined ? undefined : shown.current[first.index]?.id;
      anchor.current =
        first === undefined || id === undefined || top_px < 4
          ? undefined
          : { id, under_px: first.start - top_px };
    };
    scroller.addEventListener('scroll', note, { passive: true });
    return () => scroller.removeEventListener('scroll', note);
  }, [scroller, virtualizer]);
  useLayoutEffect(() => {
    if (shown.current === entries) return;
    shown.current = entries;
    if (scroller === null || anchor.current === undefined) return;
    const { id, under_px } = anchor.current;
    const index = entries.findIndex((entry) => entry.id === id);
    const start_px = virtualizer.measurementsCache[index]?.start;
    if (index < 0 || start_px === undefined) return;
    const top_px = start_px - under_px;
    if (Math.abs(scroller.scrollTop - top_px) > 0.5) scroller.scrollTop = top_px;
  }, [scroller, entries, virtualizer]);
}

/** Follow the end when there; elsewhere count the new entries. */
function useEnd(
  scroller: HTMLElement | null,
  count: number,
  isFollowing: RefObject<boolean>,
  shown: RefObject<string | undefined>,
  isLive: boolean,
): { newBelow: number; follow: () => void } {
  const [seen, setSeen] = useState<number | undefined>(undefined);
  const latest = useRef(count);
  useEffect(() => {
    const before = latest.current;
    latest.current = count;
    // New entries out of sight count for a reader who has not scrolled, too.
    if (isLive && scroller !== null && !isFollowing.current && !isAtEnd(scroller))
      setSeen((seen) => seen ?? before);
  }, [count, isLive, scroller, isFollowing]);
  useEffect(() => {
    if (scroller === null) return;
    // Only the reader's own scrolling begins or ends following. A key or a click may scroll nothing:
    // what comes next is then the page's own scrolling, which goes down.
    let byReader = false;
    let top_px = scroller.scrollTop;
    const onIntent = () => {
      byReader = true;
      shown.current = undefined;
    };
    const onScroll = () => {
      const isEnd = isAtEnd(scroller);
      if (byReader && isEnd) isFollowing.current = scroller.scrollTop > 0;
      else if (byReader && scroller.scrollTop < top_px) isFollowing.current = false;
      byReader = false;
      top_px = scroller.scrollTop;
      if (isEnd) setSeen(undefined);
      else if (isLive) setSeen((before) => before ?? latest.current);
    };
    const intents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const name of intents) scroller.addEventListener(name, onIntent, { passive: true });
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      for (const name of intents) scroller.removeEventListener(name, onIntent);
      scroller.removeEventListener('scroll', onScroll);
    };
  }, [scroller, isFollowing, shown, isLive]);
  const follow = () => {
    isFollowing.current = true;
    shown.current = undefined;
    setSeen(undefined);
    if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
  };
  return { newBelow: seen === undefined ? 0 : Math.max(0, count - seen), follow };
}

function isAtEnd(scroller: HTMLElement): boolean {
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
}
