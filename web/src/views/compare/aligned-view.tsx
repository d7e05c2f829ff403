/** Two sessions as one tree of steps, with the bars of both; only the rows in view are drawn. */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useState } from 'react';
import type { AlignedStep, AlignedSteps } from '../../api/types.ts';
import {
  type AlignedItem,
  extentOf,
  itemsOf,
  keyOfItem,
  parentOf,
} from '../../model/sessions/aligned.ts';
import { formatDuration } from '../../model/text/format.ts';
import type { AlignedTree } from '../../state/aligned.ts';
import { COMPARE_TEXT, laterDifferences, stepsBetween } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { useRows } from '../parts/rows.ts';
import { AlignedRow } from './aligned-row.tsx';
import './aligned-view.css';

const ROW_PX = 28;

interface AlignedViewProps {
  readonly tree: AlignedTree<AlignedStep, AlignedSteps>;
  readonly page: AlignedSteps;
  /** Whether only some kinds of differences are listed. */
  readonly hasFilter: boolean;
  /** Whether the content of some was not compared. */
  readonly isPartly: boolean;
  readonly selected: AlignedStep | undefined;
  readonly onSelect: (step: AlignedStep | undefined) => void;
}

export function AlignedView(props: AlignedViewProps) {
  const { tree, page, hasFilter, isPartly, selected, onSelect } = props;
  const { steps, reached } = useCell(tree.known);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [closed, setClosed] = useState<ReadonlySet<number>>(() => new Set());
  const [isLaterShown, showLater] = useState(false);
  const first = page.later_count === 0 ? undefined : (page.first_difference ?? undefined);
  const isBelowFirst = first !== undefined && selected !== undefined && selected.row > first;
  useEffect(() => {
    if (isBelowFirst) showLater(true);
  }, [isBelowFirst]);
  const items = useMemo(
    () => itemsOf(steps, reached, { closed, first, isLaterShown }),
    [steps, reached, closed, first, isLaterShown],
  );
  const extent = useMemo(() => extentOf(steps), [steps]);
  const keys = useMemo(() => items.map(keyOfItem), [items]);

  const fold = (item: AlignedItem<AlignedStep>, isFolded: boolean) => {
    if (item.kind === 'between') return void tree.open(item.start, item.stop);
    if (item.kind === 'later') return showLater(!isFolded);
    const { row, size } = item.step;
    setClosed((now) => {
      const next = new Set(now);
      if (isFolded) next.add(row);
      else next.delete(row);
      return next;
    });
    if (isFolded) return undefined;
    if (row === first) showLater(true);
    return void tree.open(row + 1, row + size);
  };
  const open = (key: string) => {
    const item = items[keys.indexOf(key)];
    if (item?.kind === 'step') onSelect(item.step);
    else if (item !== undefined) fold(item, item.kind === 'later' && item.isOpen);
  };
  const { list, at, goTo } = useListFocus(scroller, {
    name: 'aligned',
    ...rowsOf(keys),
    selected: selected && String(selected.row),
    onMove: (key) => {
      const item = items[keys.indexOf(key)];
      if (selected !== undefined && item?.kind === 'step') onSelect(item.step);
    },
    onOpen: open,
    tree: {
      isOpen: (index) => {
        const item = items[index];
        return item?.kind === 'between' ? false : item?.isOpen;
      },
      fold: (index, isFolded) => {
        const item = items[index];
        if (item !== undefined) fold(item, isFolded);
      },
      parentOf: (index) => parentOf(items, index),
    },
  });
  const keyAt = useCallback((index: number) => keys[index], [keys]);
  const virtualizer = useRows(scroller, keys.length, ROW_PX, keyAt, at);
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const isFoldedFrom = first !== undefined && !isLaterShown && reached > first;
  useEffect(() => {
    if (last >= items.length - 20 && reached < page.row_count && !isFoldedFrom) void tree.more();
  }, [last, items.length, reached, page.row_count, isFoldedFrom, tree]);

  const current = items[at];
  const currentRow =
    current?.kind === 'step'
      ? current.step.row
      : current?.kind === 'between'
        ? current.start
        : (first ?? -1);
  const step = useCallback(
    (direction: 1 | -1) => {
      const from = selected?.row ?? currentRow;
      const differing = steps.filter(({ changes, row }) => changes.length > 0 && row !== from);
      const next =
        direction > 0
          ? differing.find(({ row }) => row > from)
          : differing.filter(({ row }) => row < from).at(-1);
      if (next === undefined) return direction > 0 ? void tree.more() : undefined;
      if (first !== undefined && next.row > first) showLater(true);
      setClosed((now) => new Set([...now].filter((row) => !isAbove(row, next, steps))));
      onSelect(next);
      return goTo(String(next.row));
    },
    [tree, steps, selected, currentRow, first, onSelect, goTo],
  );
  const actions = useMemo(
    () => [
      { name: COMPARE_TEXT.nextDifference, keys: ['n'], run: () => step(1) },
      { name: COMPARE_TEXT.previousDifference, keys: ['p'], run: () => step(-1) },
    ],
    [step],
  );
  useActions('Compare', actions);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    list.onKeyDown(event);
    if (event.key !== 'Escape' || selected === undefined) return;
    onSelect(undefined);
    event.preventDefault();
  };

  return (
    <div className="ins-aligned">
      <div className="ins-aligned__head" aria-hidden="true">
        <span />
        <b className="ins-aligned__name--left">{COMPARE_TEXT.before}</b>
        <Axis side="left" length_ns={extent.end_ns - extent.start_ns} />
        <b className="ins-aligned__name--right">{COMPARE_TEXT.after}</b>
        <Axis side="right" length_ns={extent.end_ns - extent.start_ns} />
      </div>
      <div
        ref={setScroller}
        className="ins-aligned__scroller"
        role="tree"
        aria-label={COMPARE_TEXT.tree}
        {...list}
        onKeyDown={onKeyDown}
      >
        <div
          role="none"
          className="ins-aligned__rows"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ index, key, start }) => {
            const item = items[index];
            if (item === undefined) return null;
            const shared = { top_px: start, isCurrent: index === at };
            if (item.kind === 'step') {
              return (
                <AlignedRow
                  key={key}
                  {...shared}
                  item={item}
                  extent={extent}
                  isFirst={item.step.row === page.first_difference}
                  isSelected={item.step.row === selected?.row}
                  onSelect={onSelect}
                  onFold={fold}
                />
              );
            }
            return (
              <FoldedRow
                key={key}
                {...shared}
                item={item}
                text={
                  item.kind === 'later'
                    ? laterDifferences(page.later_count, item.isOpen)
                    : stepsBetween(item.stop - item.start, hasFilter, isPartly)
                }
                onOpen={() => open(keyOfItem(item))}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function isAbove(row: number, step: AlignedStep, steps: readonly AlignedStep[]): boolean {
  const size = steps.find((one) => one.row === row)?.size ?? 0;
  return row < step.row && step.row < row + size;
}

function Axis({ side, length_ns }: { readonly side: string; readonly length_ns: number }) {
  return (
    <span className={`ins-aligned__axis ins-aligned__bar--${side}`}>
      <span>0</span>
      <span>{formatDuration(length_ns)}</span>
    </span>
  );
}

interface FoldedRowProps {
  readonly item: Exclude<AlignedItem<AlignedStep>, { kind: 'step' }>;
  readonly text: string;
  readonly top_px: number;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

/** Steps that are the same, or later differences: one row until it is opened. */
function FoldedRow({ item, text, top_px, isCurrent, onOpen }: FoldedRowProps) {
  const isOpen = item.kind === 'later' && item.isOpen;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the tree
    <div
      role="treeitem"
      data-row={keyOfItem(item)}
      data-focus=""
      aria-level={item.depth + 1}
      aria-expanded={isOpen}
      aria-selected={false}
      tabIndex={isCurrent ? 0 : -1}
      className={`ins-aligned__row ins-aligned__row--${item.kind}`}
      style={{ transform: `translateY(${top_px}px)`, '--depth': item.depth } as object}
      onClick={onOpen}
    >
      <span className="ins-aligned__folded" title={text}>
        <span className={`ins-aligned__caret${isOpen ? ' ins-aligned__caret--open' : ''}`}>
          <ActionIcon name="caret" />
        </span>
        {text}
      </span>
    </div>
  );
}
