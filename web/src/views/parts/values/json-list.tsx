/** The lines of a JSON tree, with arrow keys; of many, only those in view are in the document. */
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { JsonRows } from '../../../model/json/json-rows.ts';
import { type JsonIndex, JsonKind } from '../../../model/json/json-text.ts';
import { useCopyAll } from './copy-all.ts';
import { type InsideForm, JsonRow, plainText } from './json-row.tsx';

interface JsonListProps {
  readonly index: JsonIndex;
  readonly root: number;
  readonly rows: JsonRows;
  readonly what: string;
  readonly isOpen: (row: number) => boolean;
  readonly toggle: (row: number) => void;
  /** The line with the keyboard cursor. */
  readonly active: number;
  readonly onActive: (row: number) => void;
  readonly onInside: (node: number, form: InsideForm) => void;
}

/** Limit of rows that are all in the document; with more, only those in view. */
const MAX_PLAIN_ROWS = 400;
const ROW_PX = 20;
const PAGE_ROWS = 20;

export function JsonList(props: JsonListProps) {
  const { index, root, rows, what, isOpen, toggle, active, onActive, onInside } = props;
  const id = useId();
  const shown = useMemo(() => rows.visible(isOpen), [rows, isOpen]);
  const at = Math.max(shown.indexOf(active), 0);
  const current = shown[at] ?? root;
  const long = useRef<LongHandle>(null);
  const tree = useRef<HTMLDivElement>(null);
  const copy = useCopyAll(
    () => plainText(index, root),
    () => (current >= 0 ? plainText(index, current) : ''),
  );
  // What was revealed by a search, or walked to, is seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another line is meant
  useEffect(() => {
    if (active === root && document.activeElement !== tree.current) return;
    if (long.current !== null) long.current.show(at);
    else {
      const row = document.getElementById(`${id}${current}`);
      row?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [active]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    copy.onKeyDown(event);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = walk(event.key, { index, rows, shown, at, isOpen });
    if (next === undefined) return;
    event.preventDefault();
    if (next === 'toggle') toggle(current);
    else if (next === 'inside') onInside(current, 'text');
    else onActive(next);
  };
  const row = (position: number) => {
    const one = shown[position] ?? root;
    return (
      <JsonRow
        key={one}
        id={`${id}${one}`}
        row={one}
        {...{ index, root, rows, what, toggle, onInside, onActive }}
        isOpen={isOpen(one)}
        isActive={one === current}
      />
    );
  };
  const attributes = {
    ref: tree,
    role: 'tree',
    'aria-label': what,
    'aria-activedescendant': `${id}${current}`,
    tabIndex: 0,
    onKeyDown,
  };
  const name = `ins-json__tree${copy.isAll ? ' ins-json__tree--all' : ''}`;
  if (shown.length <= MAX_PLAIN_ROWS) {
    return (
      <div {...attributes} className={name}>
        {shown.map((_, position) => row(position))}
      </div>
    );
  }
  return (
    <LongList ref={long} count={shown.length} row={row}>
      {(scroller, children) => (
        <div
          {...attributes}
          ref={(element) => {
            tree.current = element;
            scroller(element);
          }}
          className={`${name} ins-json__tree--long`}
        >
          {children}
        </div>
      )}
    </LongList>
  );
}

interface LongHandle {
  show(at: number): void;
}

interface LongListProps {
  readonly ref: Ref<LongHandle>;
  readonly count: number;
  readonly row: (position: number) => ReactNode;
  readonly children: (
    scroller: (element: HTMLDivElement | null) => void,
    children: ReactNode,
  ) => ReactNode;
}

function LongList({ ref, count, row, children }: LongListProps) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  useImperativeHandle(ref, () => ({ show: (at) => virtualizer.scrollToIndex(at) }), [virtualizer]);
  const items = virtualizer.getVirtualItems();
  return children(
    setScroller,
    <div className="ins-json__all" role="none" style={{ height: virtualizer.getTotalSize() }}>
      <div role="none" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
        {items.map((item) => (
          <div key={item.key} role="none" data-index={item.index} ref={virtualizer.measureElement}>
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>,
  );
}

interface Walk {
  readonly index: JsonIndex;
  readonly rows: JsonRows;
  readonly shown: readonly number[];
  readonly at: number;
  readonly isOpen: (row: number) => boolean;
}

/** Line that a key moves to, or its effect on the line, as in a tree (WAI-ARIA). */
function walk(
  key: string,
  { index, rows, shown, at, isOpen }: Walk,
): number | 'toggle' | 'inside' | undefined {
  const row = shown[at] ?? 0;
  const step = (by: number) => shown[Math.min(Math.max(at + by, 0), shown.length - 1)];
  const canOpen = row < 0 || (index.childCount[row] ?? 0) > 0;
  switch (key) {
    case 'ArrowDown':
      return step(1);
    case 'ArrowUp':
      return step(-1);
    case 'PageDown':
      return step(PAGE_ROWS);
    case 'PageUp':
      return step(-PAGE_ROWS);
    case 'Home':
      return shown[0];
    case 'End':
      return shown.at(-1);
    case 'ArrowRight':
      if (!canOpen) return row;
      return isOpen(row) ? step(1) : 'toggle';
    case 'ArrowLeft':
      if (canOpen && isOpen(row)) return 'toggle';
      return row < 0 ? index.parent[-row] : (rows.above(row).at(-1) ?? row);
    case 'Enter':
    case ' ':
      if (canOpen) return 'toggle';
      return index.kind[row] === JsonKind.String ? 'inside' : row;
    default:
      return undefined;
  }
}
