/** The lines of a JSON tree, with arrow keys; of many, only those in view are in the document. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react';
import type { JsonRows } from '../../../model/json/json-rows.ts';
import { type JsonIndex, JsonKind } from '../../../model/json/json-text.ts';
import { useListFocus } from '../list-focus.ts';
import { useRangeWith } from '../rows.ts';
import { useCopyAll } from './copy-all.ts';
import { type InsideForm, JsonRow, plainText } from './json-row.tsx';

interface JsonListProps {
  readonly index: JsonIndex;
  readonly root: number;
  readonly rows: JsonRows;
  readonly what: string;
  readonly isOpen: (row: number) => boolean;
  readonly toggle: (row: number) => void;
  /** The line that a search found. */
  readonly found: number | undefined;
  readonly onInside: (node: number, form: InsideForm) => void;
}

/** Limit of rows that are all in the document; with more, only those in view. */
const MAX_PLAIN_ROWS = 400;
const ROW_PX = 20;
const PAGE_ROWS = 20;

export function JsonList(props: JsonListProps) {
  const { index, root, rows, what, isOpen, toggle, found, onInside } = props;
  const [tree, setTree] = useState<HTMLElement | null>(null);
  const shown = useMemo(() => rows.visible(isOpen), [rows, isOpen]);
  const isLong = shown.length > MAX_PLAIN_ROWS;
  const canOpen = (row: number) => row < 0 || (index.childCount[row] ?? 0) > 0;
  const rowAt = (at: number) => shown[at] ?? root;
  const indexOf = (row: number) => {
    const at = shown.indexOf(row);
    return at < 0 ? undefined : at;
  };
  const { list, at } = useListFocus(tree, {
    count: shown.length,
    keyAt: (position) => (position < 0 ? undefined : shown[position]?.toString()),
    indexOf: (key) => indexOf(Number(key)),
    selected: found?.toString(),
    page: PAGE_ROWS,
    onOpen: (key) => {
      const row = Number(key);
      if (canOpen(row)) toggle(row);
      else if (index.kind[row] === JsonKind.String) onInside(row, 'text');
    },
    tree: {
      isOpen: (position) => (canOpen(rowAt(position)) ? isOpen(rowAt(position)) : undefined),
      fold: (position) => toggle(rowAt(position)),
      parentOf: (position) => {
        const row = rowAt(position);
        return indexOf(row < 0 ? (index.parent[-row] ?? root) : (rows.above(row).at(-1) ?? row));
      },
    },
  });
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count: shown.length,
    enabled: isLong,
    getScrollElement: useCallback(() => tree, [tree]),
    estimateSize: () => ROW_PX,
    overscan: 20,
    rangeExtractor: useRangeWith(at),
  });
  const current = at < 0 ? undefined : rowAt(at);
  const copy = useCopyAll(
    () => plainText(index, root),
    () => (current !== undefined && current >= 0 ? plainText(index, current) : ''),
  );
  const row = (position: number) => {
    const one = rowAt(position);
    return (
      <JsonRow
        key={one}
        row={one}
        {...{ index, root, rows, toggle, onInside }}
        isOpen={isOpen(one)}
        isCurrent={one === current}
      />
    );
  };
  const attributes = {
    ...list,
    ref: setTree,
    role: 'tree',
    'aria-label': what,
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      copy.onKeyDown(event);
      list.onKeyDown(event);
    },
  };
  const name = `ins-json__tree${copy.isAll ? ' ins-json__tree--all' : ''}`;
  if (!isLong) {
    return (
      <div {...attributes} className={name}>
        {shown.map((_, position) => row(position))}
      </div>
    );
  }
  return (
    <div {...attributes} className={`${name} ins-json__tree--long`}>
      <div className="ins-json__all" role="none" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => (
          <div
            key={item.key}
            role="none"
            data-index={item.index}
            ref={virtualizer.measureElement}
            style={{ top: item.start }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
