/** The list itself: only the rows in view are in the document. */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Sessions } from '../../state/sessions.ts';
import { useActions } from '../actions.ts';
import { useCell, useInspector, useSize } from '../context.ts';
import { NewPill } from '../new-pill.tsx';
import { useRows } from '../rows.ts';
import { useScrollAnchor } from '../scroll-anchor.ts';
import { useNextFailed } from './next-failed.ts';
import { SessionRow } from './session-row.tsx';
import './session-list.css';

const ROW_PX = 36;
const NARROW_ROW_PX = 56;
const NARROW_PX = 720;

interface SessionListProps {
  readonly sessions: Sessions;
  /** False: they are what another query found, and say nothing of this one. */
  readonly isCurrent?: boolean;
}

export function SessionList({ sessions, isCurrent = true }: SessionListProps) {
  const ids = useCell(sessions.order);
  const state = useCell(sessions.state);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { width_px } = useSize(scroller);
  const isNarrow = width_px > 0 && width_px < NARROW_PX;
  const row_px = isNarrow ? NARROW_ROW_PX : ROW_PX;
  const keyAt = useCallback((index: number) => ids[index], [ids]);
  const virtualizer = useRows(scroller, ids.length, row_px, keyAt);
  useScrollAnchor({ scroller, row_px, keyAt, count: ids.length, of: ids });
  const [answering, setAnswering] = useState<string | undefined>(undefined);
  useNextWaiting(ids, virtualizer.scrollToIndex);
  useNextFailed(sessions, ids, virtualizer.scrollToIndex);
  const newAbove = useNewAbove(scroller, ids);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= ids.length - 20 && sessions.hasMore) void sessions.loadMore();
  }, [last, ids.length, sessions]);

  return (
    <div className={`ins-list${isNarrow ? ' ins-list--narrow' : ''}`}>
      <section
        className="ins-list__scroller"
        aria-label="All sessions"
        ref={setScroller}
        onKeyDown={walk}
      >
        <div className="ins-list__head" aria-hidden="true">
          <span />
          <span>Session</span>
          <span>Agents</span>
          <span className="ins-list__models">Models</span>
          <span className="ins-list__number">Started</span>
          <span className="ins-list__number">Duration</span>
          <span className="ins-list__number">Spans</span>
          <span className="ins-list__number">Tokens</span>
          <span className="ins-list__number">Cost</span>
        </div>
        <ul className="ins-list__rows" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => (
            <SessionRow
              key={item.key}
              rows={sessions.rows}
              id={ids[item.index] ?? ''}
              top_px={item.start}
              isAnswering={ids[item.index] === answering}
              onAnswering={setAnswering}
            />
          ))}
        </ul>
        {isCurrent && ids.length === 0 && sessions.query !== '' && state.kind === 'ready' && (
          <p className="ins-list__none">
            {sessions.hasMore ? 'No session found so far.' : 'No session matches this filter.'}
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

/** Sessions that came while the reader was further down. */
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
    if (isAtTop) seen.current = ids[0];
  }, [isAtTop, ids]);
  if (isAtTop || seen.current === undefined) return 0;
  return Math.max(0, ids.indexOf(seen.current));
}

/** `W` goes to the next session with a request, wherever in the list it is. */
function useNextWaiting(
  ids: readonly string[],
  scrollToIndex: (index: number, options: { align: 'auto' }) => void,
): void {
  const { requests } = useInspector();
  const actions = useMemo(() => {
    const next = () => {
      const focused = document.activeElement?.closest('li')?.dataset['session'];
      const waiting = ids.filter((id) => requests.ofSession.get(id) !== undefined);
      const id = waiting[(waiting.indexOf(focused ?? '') + 1) % Math.max(1, waiting.length)];
      if (id === undefined) return;
      scrollToIndex(ids.indexOf(id), { align: 'auto' });
      requestAnimationFrame(() => requestAnimationFrame(() => focusAnswerOf(id)));
    };
    return [{ name: 'Next session that waits for a person', keys: ['w'], run: next }];
  }, [ids, requests, scrollToIndex]);
  useActions('Session list', actions);
}

function focusAnswerOf(id: string): void {
  const row = document.querySelector(`[data-session="${CSS.escape(id)}"]`);
  row?.querySelector('button')?.focus({ preventScroll: true });
}

/** Arrow keys go from row to row. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = document.activeElement?.closest('li');
  const rows = [...event.currentTarget.querySelectorAll('li')].sort(
    (a, b) => Number(a.dataset['top']) - Number(b.dataset['top']),
  );
  const at = row == null ? -1 : rows.indexOf(row);
  const next = rows[at + (event.key === 'ArrowDown' ? 1 : -1)];
  const link = next?.querySelector('a');
  if (link == null) return;
  event.preventDefault();
  link.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}
