/** The session list: a table with only the rows in view in the document. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  isDescending,
  nextSort,
  type Sort,
  type SortKey,
  sortKey,
} from '../../model/sessions/session-order.ts';
import { Selection } from '../../state/selection.ts';
import type { Sessions } from '../../state/sessions.ts';
import { ACTION_TEXT, PARTS_TEXT, SESSION_LIST_ACTIONS, SESSION_LIST_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, usePreferences, useRoute, useSize } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { LoadingRows } from '../parts/loading-rows.tsx';
import { NewPill } from '../parts/new-pill.tsx';
import { useRowHeight } from '../parts/row-height.ts';
import { useRows } from '../parts/rows.ts';
import { useScrollAnchor } from '../parts/scroll-anchor.ts';
import { ColumnHandle } from './column-handle.tsx';
import {
  type Column,
  chosenColumns,
  fixedAt,
  type Grid,
  gridOf,
  NARROW_COLUMNS,
  pinnedFirst,
  TITLE,
  TITLE_PX,
} from './columns.tsx';
import { SessionRow } from './session-row.tsx';
import './session-list.css';

const ROW_PX = 36;
const STATUS_COLUMNS = [SESSION_LIST_TEXT.selectedHead, SESSION_LIST_TEXT.statusHead];
const NARROW_ROW_PX = 76;
const NARROW_PX = 720;
const HEAD_PX = 28;
const LENGTHS = [58, 46, 62, 40, 52, 36, 48, 44];
/** Period in which changed rows are moved together. */
const SETTLE_MS = 1000;

interface SessionListProps {
  readonly sessions: Sessions;
  /** Undefined where rows cannot be selected. */
  readonly selection?: Selection;
  /** False while the rows are still those of the previous query. */
  readonly isCurrent?: boolean;
}

export function SessionList(props: SessionListProps) {
  const { sessions, isCurrent = true } = props;
  const [ownSelection] = useState(() => new Selection());
  const selection = props.selection ?? ownSelection;
  const ids = useCell(sessions.order);
  const state = useCell(sessions.state);
  const selected = useCell(selection.ids);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { width_px } = useSize(scroller);
  const isNarrow = width_px > 0 && width_px < NARROW_PX;
  const row_px = useRowHeight(isNarrow ? NARROW_ROW_PX : ROW_PX);
  const { columns, grid } = useColumns(width_px, isNarrow, useCell(sessions.hasUsers));
  const keyAt = useCallback((index: number) => ids[index], [ids]);
  const { list, at, goTo } = useListFocus(scroller, { name: 'sessions', ...rowsOf(ids) });
  const virtualizer = useRows(scroller, ids.length, row_px, keyAt, at);
  const head_px = isNarrow ? 0 : HEAD_PX;
  useScrollAnchor({ scroller, row_px, keyAt, count: ids.length, of: ids, focusedKey, head_px });
  useSettling(sessions, scroller);
  const [answering, setAnswering] = useState<string | undefined>(undefined);
  useNext(sessions, ids, goTo);
  useSelectKeys(ids, selection);
  const onSelect = useCallback(
    (id: string, isRange: boolean) =>
      isRange ? selection.extendTo(id, sessions.order.get()) : selection.toggle(id),
    [selection, sessions],
  );
  const newAbove = useNewAbove(scroller, ids);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    // Where one failed, it is not tried without end.
    const isWanted = last >= ids.length - 20 && state.kind === 'ready';
    if (isWanted && sessions.hasMore) void sessions.loadMore();
  }, [last, ids.length, sessions, state]);

  const { listParts } = useInspector();
  useEffect(() => {
    listParts.inView = items.map(({ key }) => String(key));
  }, [listParts, items]);

  return (
    <div
      className={`ins-list${isNarrow ? ' ins-list--narrow' : ''}${grid.lefts_px.length > 0 ? ' ins-list--fixed' : ''}${selected.size > 0 ? ' ins-list--selecting' : ''}${isCurrent ? '' : ' ins-list--stale'}`}
    >
      <section
        className="ins-list__scroller"
        aria-label={PARTS_TEXT.allSessions}
        ref={setScroller}
        {...list}
      >
        <div
          role="grid"
          aria-label={SESSION_LIST_TEXT.sessions}
          aria-rowcount={sessions.hasMore ? -1 : ids.length + 1}
          aria-busy={state.kind === 'loading'}
          className="ins-list__table"
          style={
            isNarrow
              ? undefined
              : {
                  ['--ins-list-grid' as string]: grid.template,
                  ['--ins-list-width' as string]: `${width_px}px`,
                  minWidth: grid.least_px,
                }
          }
        >
          <Head sort={sessions.listing.sort} columns={columns} lefts_px={grid.lefts_px} />
          <div
            role="rowgroup"
            className="ins-list__rows"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {items.map((item) => (
              <SessionRow
                key={item.key}
                rows={sessions.rows}
                id={ids[item.index] ?? ''}
                index={item.index}
                top_px={item.start}
                columns={columns}
                lefts_px={grid.lefts_px}
                isCurrent={item.index === at}
                isSelected={selected.has(ids[item.index] ?? '')}
                onSelect={onSelect}
                isAnswering={ids[item.index] === answering}
                onAnswering={setAnswering}
              />
            ))}
          </div>
        </div>
        {ids.length === 0 && state.kind === 'loading' && <LoadingRows lengths={LENGTHS} />}
        {isCurrent && ids.length === 0 && state.kind === 'ready' && (
          <p className="ins-list__none">
            {sessions.hasMore ? SESSION_LIST_TEXT.noneYet : SESSION_LIST_TEXT.none}{' '}
            {!sessions.hasMore && <ClearFilter />}
          </p>
        )}
      </section>
      {newAbove > 0 && (
        <NewPill
          count={newAbove}
          direction="up"
          onClick={() => scroller?.scrollTo({ top: 0, behavior: 'auto' })}
        />
      )}
    </div>
  );
}

/** Button that removes query and time range. */
function ClearFilter() {
  const { router } = useInspector();
  const clear = useMemo(() => () => router.adjust({ q: undefined, time: undefined }), [router]);
  const actions = useMemo(() => [{ name: SESSION_LIST_TEXT.clearFilter, run: clear }], [clear]);
  useActions('Session list', actions);
  return (
    <button type="button" className="ins-link" onClick={clear}>
      {SESSION_LIST_TEXT.clearFilter}
    </button>
  );
}

interface HeadProps {
  readonly sort: Sort;
  readonly columns: readonly Column[];
  readonly lefts_px: readonly number[];
}

function Head({ sort, columns, lefts_px }: HeadProps) {
  return (
    <div role="rowgroup">
      {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus */}
      <div role="row" aria-rowindex={1} className="ins-list__head">
        {STATUS_COLUMNS.map((name, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: it does nothing
          <span key={name} role="columnheader" {...fixedAt(lefts_px[at])}>
            <span className="ins-hidden">{name}</span>
          </span>
        ))}
        <SortHead
          id={TITLE}
          sort={sort}
          name={SESSION_LIST_TEXT.session}
          sortBy="title"
          isNumber={false}
          min_px={TITLE_PX}
          left_px={lefts_px[2]}
        />
        {columns.map(({ id, name, longName, sort: sortBy, isNumber, min_px }, at) => (
          <SortHead
            key={id}
            id={id}
            sort={sort}
            name={name}
            longName={longName}
            sortBy={sortBy}
            isNumber={isNumber}
            min_px={min_px}
            left_px={lefts_px[at + 3]}
          />
        ))}
      </div>
    </div>
  );
}

interface SortHeadProps {
  readonly id: string;
  readonly min_px: number;
  /** Where it stays while the others scroll sideways. */
  readonly left_px: number | undefined;
  readonly sort: Sort;
  readonly name: string;
  readonly longName?: string | undefined;
  readonly sortBy: SortKey | undefined;
  readonly isNumber: boolean;
}

function SortHead({ id, sort, name, longName, sortBy, isNumber, ...places }: SortHeadProps) {
  const { router } = useInspector();
  const look = fixedAt(places.left_px, `ins-list__name${isNumber ? ' ins-list__number' : ''}`);
  const handle = <ColumnHandle id={id} name={longName ?? name} least_px={places.min_px} />;
  if (sortBy === undefined) {
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: its handle has the focus
      <span role="columnheader" aria-label={name} title={longName} {...look}>
        {name}
        {handle}
      </span>
    );
  }
  const isHere = sortKey(sort) === sortBy;
  const way = isDescending(sort) ? 'descending' : 'ascending';
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button in it has the focus
    <span role="columnheader" aria-label={name} aria-sort={isHere ? way : 'none'} {...look}>
      <button
        type="button"
        className="ins-list__sort"
        title={SESSION_LIST_TEXT.sortByName(longName ?? name)}
        onClick={() => router.adjust({ sort: sortText(nextSort(sort, sortBy)) })}
      >
        {name}
        {isHere && <ActionIcon name={isDescending(sort) ? 'down' : 'up'} />}
      </button>
      {handle}
    </span>
  );
}

/** Sort parameter of the address; undefined for the default. */
function sortText(sort: Sort): string | undefined {
  return sort === '-started' ? undefined : sort;
}

function useColumns(
  width_px: number,
  isNarrow: boolean,
  hasUsers: boolean,
): { readonly columns: readonly Column[]; readonly grid: Grid } {
  const inAddress = useRoute().query.get('cols');
  const { columns, columnWidths, pinned } = usePreferences();
  return useMemo(() => {
    if (isNarrow) return { columns: NARROW_COLUMNS, grid: gridOf([]) };
    const list_px = width_px === 0 ? Number.POSITIVE_INFINITY : width_px;
    const shown = pinnedFirst(chosenColumns(inAddress, columns, list_px, hasUsers), pinned);
    const pinnedCount = shown.filter(({ id }) => pinned.includes(id)).length;
    return { columns: shown, grid: gridOf(shown, columnWidths, pinnedCount, list_px) };
  }, [inAddress, columns, columnWidths, pinned, width_px, isNarrow, hasUsers]);
}

/**
 * Move rows whose values have changed once a second, unless the pointer or the focus is on a row.
 */
function useSettling(sessions: Sessions, scroller: HTMLElement | null): void {
  useEffect(() => {
    if (scroller === null) return;
    const timer = setInterval(() => {
      sessions.isOrderPaused = scroller.matches(':hover') || focusedKey() !== undefined;
      sessions.settle();
    }, SETTLE_MS);
    const hold = () => {
      sessions.isOrderPaused = true;
    };
    scroller.addEventListener('pointermove', hold, { passive: true });
    scroller.addEventListener('focusin', hold);
    return () => {
      clearInterval(timer);
      sessions.isOrderPaused = false;
      scroller.removeEventListener('pointermove', hold);
      scroller.removeEventListener('focusin', hold);
    };
  }, [sessions, scroller]);
}

/** Id of the session whose row has the focus. */
function focusedKey(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-session]')?.dataset['session'];
}

/** Number of sessions that came above while the reader was further down. */
function useNewAbove(scroller: HTMLElement | null, ids: readonly string[]): number {
  const [isAtTop, setAtTop] = useState(true);
  const seen = useRef(ids[0]);
  useEffect(() => {
    if (scroller === null) return;
    const onScroll = () => setAtTop(scroller.scrollTop < ROW_PX / 2);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [scroller]);
  useEffect(() => {
    // What is held in view has scrolled it by now, and nobody has said so yet.
    if (isAtTop && (scroller?.scrollTop ?? 0) < ROW_PX / 2) seen.current = ids[0];
  }, [isAtTop, ids, scroller]);
  if (isAtTop || seen.current === undefined) return 0;
  return Math.max(0, ids.indexOf(seen.current));
}

/** `W` and `E` move to the next session with a request or an error, anywhere in the list. */
function useNext(
  sessions: Sessions,
  ids: readonly string[],
  goTo: (id: string, hasFocus?: boolean) => void,
): void {
  const { requests } = useInspector();
  const actions = useMemo(() => {
    const next = (isWanted: (id: string) => boolean) => {
      const wanted = ids.filter(isWanted);
      return wanted[(wanted.indexOf(focusedKey() ?? '') + 1) % Math.max(1, wanted.length)];
    };
    const nextFailed = () => {
      const id = next((one) => (sessions.rows.get(one)?.error_count ?? 0) > 0);
      if (id !== undefined) goTo(id);
    };
    const nextWaiting = () => {
      const id = next((one) => requests.ofSession.get(one) !== undefined);
      if (id === undefined) return;
      // Its row is in the document as soon as it is the current one.
      flushSync(() => goTo(id, false));
      const row = document.querySelector(`[data-session="${CSS.escape(id)}"]`);
      row?.querySelector<HTMLElement>('.ins-row-answer__button')?.focus();
    };
    return [
      { name: ACTION_TEXT.nextWaitingSession, keys: ['w'], run: nextWaiting },
      { name: SESSION_LIST_ACTIONS.nextFailed, keys: ['e'], run: nextFailed },
    ];
  }, [sessions, ids, requests, goTo]);
  useActions('Session list', actions);
}

/** `X` selects the row with the focus, else the one under the pointer. */
function useSelectKeys(ids: readonly string[], selection: Selection): void {
  const actions = useMemo(() => {
    const toggle = () => {
      const pointed = document.querySelector<HTMLElement>('.ins-list__row:hover');
      const id = focusedKey() ?? pointed?.dataset['session'];
      if (id !== undefined) selection.toggle(id);
    };
    return [
      { name: SESSION_LIST_ACTIONS.select, keys: ['x'], run: toggle },
      { name: SESSION_LIST_ACTIONS.selectAll, run: () => selection.add(ids) },
      { name: SESSION_LIST_ACTIONS.clearSelection, run: () => selection.clear() },
    ];
  }, [ids, selection]);
  useActions('Session list', actions);
}
