/**
 * The focus of a list or a tree: one row is its tab stop, and arrow keys move it.
 *
 * A row has `data-row`, its key. What takes its focus, the row itself or a link or button in it,
 * has `data-focus`, and `tabIndex` 0 in the current row, else -1.
 *
 * It is a roving `tabindex`, not `aria-activedescendant`: what has the focus is the row itself, or
 * the link or button in it. So the browser and every screen reader follow it, and Enter, a new tab
 * or a context menu are the link's own. In return the current row stays in the document wherever
 * one scrolls (`useRangeWith` in `rows.ts`), or the focus would be lost with it.
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useInspector } from './context.ts';

export interface ListRows {
  /**
   * Name of the list that a page is about: it takes the focus when the page opens, and returns to
   * the row that it was left at. Without one it is part of something else.
   */
  readonly name?: string;
  readonly count: number;
  readonly keyAt: (at: number) => string | undefined;
  readonly indexOf: (key: string) => number | undefined;
  /** Whether more rows are on their way: the one to return to may be among them. */
  readonly isReading?: boolean;
  /** Row to follow: what is selected becomes current. */
  readonly selected?: string | undefined;
  /** What is selected with a row; without it, its key. */
  readonly selectionOf?: (key: string) => string;
  /** Unfold what hides a row. */
  readonly reveal?: (key: string) => void;
  /** Bring a row into view, where a row of another height may come to be above it meanwhile. */
  readonly show?: (at: number, hasFocus: boolean) => void;
  /** Number of rows in view. */
  readonly page?: number;
  /** Called when a key moves to a row. */
  readonly onMove?: (key: string) => void;
  /** Action of Enter and of the space bar; without one, Enter presses the row's link or button. */
  readonly onOpen?: (key: string) => void;
  /** Called for an arrow up on the first row. */
  readonly onLeave?: () => void;
  /** Whether rows stand beside each other: the arrows to the left and right move, too. */
  readonly isAcross?: boolean;
  readonly tree?: {
    /** Whether a row is open; undefined: it has nothing to open. */
    readonly isOpen: (at: number) => boolean | undefined;
    readonly fold: (at: number, isFolded: boolean) => void;
    readonly parentOf: (at: number) => number | undefined;
  };
}

export interface ListFocus {
  /** Key and index of the current row: the one that has the focus, or would take it; -1: none. */
  readonly key: string | undefined;
  readonly at: number;
  /** Make a row current and bring it into view, as soon as there is such a row. */
  readonly goTo: (key: string, hasFocus?: boolean) => void;
  /** Attributes of the element around the rows. */
  readonly list: ListAttributes;
}

interface ListAttributes {
  readonly 'data-list': string;
  readonly tabIndex: number;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
  readonly onBlur: () => void;
}

/** Rows in the order of their keys. */
export function rowsOf(keys: readonly string[]): Pick<ListRows, 'count' | 'keyAt' | 'indexOf'> {
  return {
    count: keys.length,
    keyAt: (at) => keys[at],
    indexOf: (key) => {
      const at = keys.indexOf(key);
      return at < 0 ? undefined : at;
    },
  };
}

export function useListFocus(list: HTMLElement | null, rows: ListRows): ListFocus {
  const { lastRows } = useInspector();
  const { name, selected } = rows;
  const [key, setKey] = useState(
    () => selected ?? (name === undefined ? rows.keyAt(0) : lastRows.get(name)),
  );
  const at = (key === undefined ? undefined : rows.indexOf(key)) ?? -1;
  const latest = useRef({ rows, key, at, first: rows.keyAt(0) });
  /** Row to go to once it is there. */
  const goal = useRef(
    name === undefined || key === undefined ? undefined : { key, hasFocus: false },
  );
  const hasFocus = useRef(false);

  const reach = useCallback(() => {
    const { rows: now } = latest.current;
    const wanted = goal.current;
    const index = wanted === undefined ? undefined : now.indexOf(wanted.key);
    if (list === null || wanted === undefined || index === undefined) return;
    const row = rowElement(list, now.keyAt(index));
    if (row === undefined) return;
    goal.current = undefined;
    const target = row.matches(FOCUS) ? row : row.querySelector<HTMLElement>(FOCUS);
    if (wanted.hasFocus && !isField(document.activeElement)) target?.focus({ preventScroll: true });
    if (now.show !== undefined) now.show(index, wanted.hasFocus);
    else row.scrollIntoView?.({ block: 'nearest' });
  }, [list]);
  const goTo = useCallback(
    (to: string, isFocused = true) => {
      latest.current.rows.reveal?.(to);
      setKey(to);
      goal.current = { key: to, hasFocus: isFocused };
      // At once, if it is in the document: the next key may come in the same frame.
      reach();
    },
    [reach],
  );
  useLayoutEffect(() => {
    const { at: before, first } = latest.current;
    latest.current = { rows, key, at, first: rows.keyAt(0) };
    // The row that had the focus is gone, and the focus with it: the one in its place takes it.
    if (hasFocus.current && document.activeElement === document.body) {
      const next = at >= 0 ? key : rows.keyAt(Math.min(before, rows.count - 1));
      if (next === undefined) list?.focus({ preventScroll: true });
      else goTo(next);
    } else if (at < 0 && before > 0 && rows.keyAt(0) === first) {
      // Gone from the same list, such as deleted: the one in its place is the one to go on from.
      setKey(rows.keyAt(Math.min(before, rows.count - 1)));
    }
    reach();
  });
  useEffect(() => {
    if (selected === undefined || list === null) return;
    const { rows: now, key: current = '', at: place } = latest.current;
    if (place >= 0 && selected === (now.selectionOf?.(current) ?? current)) return;
    goTo(selected, list.contains(document.activeElement) || isUnfocused(list));
  }, [selected, list, goTo]);
  const mayCome = at < 0 && key !== undefined && rows.isReading === true;
  useFocusOnLoad(list, name !== undefined && rows.count > 0 && !mayCome, () => {
    if (at >= 0 && key !== undefined) goTo(key);
    else {
      if (selected === undefined) goal.current = undefined;
      if (list === null) return;
      // No ring around the whole list for one who pressed no key yet.
      list.dataset['arrived'] = '';
      list.focus({ preventScroll: true });
    }
  });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { ctrlKey, metaKey, altKey, currentTarget, target } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || altKey) return;
    if (!isOwn(target, currentTarget)) return;
    const act = actionOf(event, rows, at);
    if (act === undefined) return;
    event.preventDefault();
    if (typeof act === 'function') act();
    else {
      const to = rows.keyAt(Math.max(0, Math.min(act, rows.count - 1)));
      if (to === undefined) return;
      goTo(to);
      rows.onMove?.(to);
    }
  };
  const onFocus = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    hasFocus.current = true;
    const focused = rowAround(target, currentTarget)?.dataset['row'];
    if (focused === undefined) return;
    setKey(focused);
    if (name !== undefined) lastRows.set(name, focused);
  };
  const onBlur = () => {
    hasFocus.current = false;
    if (list !== null) delete list.dataset['arrived'];
  };
  const tabIndex = at < 0 ? 0 : -1;
  return {
    key,
    at,
    goTo,
    list: { 'data-list': name ?? '', tabIndex, onKeyDown, onFocus, onBlur },
  };
}

/** Take the focus once there is a row to give it to, unless the reader has moved it by then. */
function useFocusOnLoad(list: HTMLElement | null, isReady: boolean, take: () => void): void {
  const [before] = useState(() => document.activeElement);
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || list === null || !isReady) return;
    isDone.current = true;
    const isLeft = document.activeElement === before && !isField(before) && !isTab(before);
    if (isLeft || isUnfocused(list)) take();
  });
}

/** Code of a key that moves in rows by their order, and not out of them. */
export const WALK = 'Walk';

/** Move in the list that has the focus, else in that of the page. */
export function walkRows(key: 'ArrowDown' | 'ArrowUp' | 'Home'): void {
  const list =
    document.activeElement?.closest('[data-list]') ??
    document.querySelector('main [data-list]:not([data-list=""])');
  list?.dispatchEvent(
    new window.KeyboardEvent('keydown', { key, code: WALK, bubbles: true, cancelable: true }),
  );
}

/** Whether a click is on the row itself: not on a control in it, and no end of a selection. */
export function isRowClick({ target, currentTarget }: MouseEvent): boolean {
  const control = target instanceof Element ? target.closest(CONTROLS) : null;
  const isInside = control !== null && control !== currentTarget;
  return !isInside && window.getSelection()?.isCollapsed !== false;
}

const FOCUS = '[data-focus]';
const CONTROLS = 'button, input, textarea, select, a';

/** Whether keys are the list's: not those in a field, nor of what is inside of a row. */
function isOwn(target: EventTarget, list: HTMLElement): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target === list || target.matches(FOCUS)) return true;
  return target.matches('button, a, [type=checkbox]') && rowAround(target, list) !== undefined;
}

function rowElement(list: HTMLElement, key: string | undefined): HTMLElement | undefined {
  const rows = list.querySelectorAll<HTMLElement>('[data-row]');
  return [...rows].find((row) => row.dataset['row'] === key && rowAround(row, list) === row);
}

/** The row of this list that an element is in; lists inside of it have rows of their own. */
function rowAround(element: Element, list: Element): HTMLElement | undefined {
  let row = element.closest<HTMLElement>('[data-row]');
  while (row !== null && row.closest('[data-list]') !== list) {
    row = row.parentElement?.closest<HTMLElement>('[data-row]') ?? null;
  }
  return row ?? undefined;
}

const FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable], [data-editor]';

function isField(element: Element | null): boolean {
  return element?.matches(FIELDS) === true;
}

/** Arrow keys on a tab choose another one. */
function isTab(element: Element | null): boolean {
  return element?.getAttribute('role') === 'tab';
}

/** Whether nothing on the page has the focus, or something around the list. */
function isUnfocused(list: HTMLElement): boolean {
  return document.activeElement?.contains(list) !== false;
}

const PAGE_ROWS = 10;

/** Index of the row that a key moves to, or another action of the key. */
function actionOf(
  { key, target, nativeEvent }: KeyboardEvent,
  { count, keyAt, page = PAGE_ROWS, isAcross, tree, onOpen, onLeave }: ListRows,
  at: number,
): number | (() => void) | undefined {
  const element = target as HTMLElement;
  const current = keyAt(at);
  const isOpen = current === undefined ? undefined : tree?.isOpen(at);
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at <= 0 && nativeEvent.code !== WALK && onLeave !== undefined ? onLeave : at - 1;
    case 'PageDown':
      return at + page;
    case 'PageUp':
      return at - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'ArrowRight':
      if (isAcross) return at + 1;
      return isOpen === true ? at + 1 : isOpen === false ? () => tree?.fold(at, false) : undefined;
    case 'ArrowLeft':
      if (isAcross) return at - 1;
      return isOpen === true ? () => tree?.fold(at, true) : tree?.parentOf(at);
    case 'Enter':
    case ' ':
      // A link or a button has its own.
      if (current === undefined || element.matches(CONTROLS)) return undefined;
      if (onOpen !== undefined) return () => onOpen(current);
      if (key === ' ' || !element.matches(FOCUS)) return undefined;
      return () => element.querySelector<HTMLElement>('a, button')?.click();
    default:
      return undefined;
  }
}
