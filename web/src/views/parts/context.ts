/** Hooks that give components the page's state. */
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { plainLine } from '../../model/text/hidden-characters.ts';
import type { Cell } from '../../state/cell.ts';
import type { Inspector } from '../../state/inspector.ts';
import type { KeyedStore } from '../../state/keyed-store.ts';
import type { Preferences, ShownTheme } from '../../state/preferences.ts';
import type { Route } from '../../state/route.ts';
import type { Trace } from '../../state/trace.ts';
import { waitingMark } from '../../texts.ts';

export interface Page {
  readonly inspector: Inspector;
  readonly theme: Cell<ShownTheme>;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('A view was mounted outside of PageContext.');
  return page;
}

export function useInspector(): Inspector {
  return usePage().inspector;
}

export function useCell<T>(cell: Cell<T>): T {
  return useSyncExternalStore(cell.subscribe, cell.get);
}

export function useRoute(): Route {
  return useCell(useInspector().router.route);
}

export function usePreferences(): Preferences {
  return useCell(useInspector().preferences);
}

export function useShownTheme(): ShownTheme {
  return useCell(usePage().theme);
}

/** One row of a store; renders only when that row changes. */
export function useRow<V>(store: KeyedStore<V>, key: string): V | undefined {
  const subscribe = useCallback(
    (listener: () => void) => store.subscribeRow(key, listener),
    [store, key],
  );
  return useSyncExternalStore(subscribe, () => store.get(key));
}

/** Version of a store, incremented with every commit. */
export function useVersion<V>(store: KeyedStore<V>, isWanted = true): number {
  const subscribe = useCallback(
    (listener: () => void) => (isWanted ? store.subscribe(listener) : () => {}),
    [store, isWanted],
  );
  return useSyncExternalStore(subscribe, () => (isWanted ? store.version : 0));
}

/** Set the document's title, with the number of pending requests: `(2) Sessions · Inspector`. */
export function useTitle(title: string): void {
  const { requests } = useInspector();
  const count = useCell(requests.pending).length;
  const allowing = useCell(requests.allowing);
  useEffect(() => {
    document.title = `${waitingMark(count, allowing)}${plainLine(title)} · Inspector`;
  }, [title, count, allowing]);
}

/** Local time, updated every `every_ms`; never if undefined. */
export function useNow(every_ms: number | undefined): number {
  const [now_ms, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (every_ms === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now_ms;
}

/**
 * Now in a session, an offset, or the instant that it is shown at, or that it is frozen at; updated
 * every `every_ms` unless it is frozen, never if undefined.
 */
export function useTraceNow(trace: Trace, every_ms: number | undefined): number {
  const { clock } = useInspector();
  const epoch_ns = useCell(trace.epoch_ns);
  const at_ns = useCell(trace.at_ns);
  const freeze = useCell(trace.freeze);
  useNow(freeze !== undefined || at_ns !== undefined ? undefined : every_ms);
  const frozen_ns =
    freeze === undefined ? 0 : Math.max(0, clock.local_ms() - freeze.since_ms) * 1e6;
  return at_ns ?? clock.nowOffset_ns(epoch_ns ?? '0') - frozen_ns;
}

/** Width and height of an element, CSS pixels. */
export function useSize(element: Element | null): { width_px: number; height_px: number } {
  const [size, setSize] = useState({ width_px: 0, height_px: 0 });
  useEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      setSize({ width_px: entry.contentRect.width, height_px: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
