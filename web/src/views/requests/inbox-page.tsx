/**
 * `/ui/waiting`: open requests in a list, one of them beside it as a card.
 *
 * Open requests are in order of urgency, closed ones below until they are hidden. A row that
 * somebody points at or has focused does not move.
 */
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { inboxOrder } from '../../model/requests/inbox-order.ts';
import { plural } from '../../model/text/format.ts';
import { AUDIT_TEXT, hideClosed, INBOX_TEXT } from '../../texts.ts';
import {
  useCell,
  useInspector,
  usePreferences,
  useRoute,
  useRow,
  useTitle,
} from '../parts/context.ts';
import { focusBack } from '../parts/focus-back.ts';
import { Link } from '../parts/link.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { useMoreTries } from '../parts/more-tries.ts';
import { askForNotices, canNotify } from '../parts/requests/notices.ts';
import { RequestCard } from '../parts/requests/request-card.tsx';
import { useRowHeight } from '../parts/row-height.ts';
import { useRows } from '../parts/rows.ts';
import { UnsearchedLine } from '../parts/unsearched.tsx';
import { DenyAll } from './deny-all.tsx';
import { LastCalls } from './last-calls.tsx';
import { RequestLine } from './request-line.tsx';
import './inbox-page.css';

const LINE_PX = 70;

export function InboxPage() {
  const { requests, feed } = useInspector();
  const state = useCell(requests.state);
  const unsearched = useCell(requests.unsearched);
  useMoreTries(unsearched.length > 0 ? unsearched : undefined, () => void requests.load());
  const count = useCell(requests.pending).length;
  const session = useRoute().query.get('session') ?? undefined;
  const { ids, closed, clear, use } = useStanding(session);
  const open = useOpen(ids, state.kind === 'ready');
  const connection = useCell(feed.status).kind;
  // Then it is not known that nothing waits.
  const isCut = ids.length === 0 && (connection === 'reconnecting' || connection === 'refused');
  const isPartial = state.kind === 'failed' || unsearched.length > 0;
  const isUnknown = isCut || (ids.length === 0 && isPartial);
  useTitle(INBOX_TEXT.page);
  return (
    <main className="ins-inbox">
      <header className="ins-inbox__head">
        <h1>{INBOX_TEXT.title}</h1>
        <span role="status">
          {!isUnknown && (state.kind === 'loading' ? INBOX_TEXT.loading : plural(count, 'request'))}
          {session !== undefined && (
            <>
              {`, ${INBOX_TEXT.oneSession} `}
              <Link className="ins-link" to="waiting">
                {INBOX_TEXT.allSessions}
              </Link>
            </>
          )}
        </span>
        {closed > 0 && (
          <button type="button" className="ins-link" onClick={clear}>
            {hideClosed(closed)}
          </button>
        )}
        <span className="ins-inbox__end">
          <NoticeSwitch />
          <Link className="ins-link" to="audit">
            {AUDIT_TEXT.title}
          </Link>
        </span>
      </header>
      {(state.kind === 'failed' || isCut) && (
        <p className="ins-request__problem ins-inbox__problem" role="alert">
          {state.kind === 'failed' ? state.message : INBOX_TEXT.cut}
        </p>
      )}
      <UnsearchedLine parts={unsearched} />
      {ids.length === 0 && state.kind === 'ready' && !isUnknown ? (
        <Empty />
      ) : (
        <div className="ins-inbox__panes">
          <List ids={ids} open={open} use={use} />
          {open !== undefined && <OpenRequest key={open} id={open} />}
        </div>
      )}
    </main>
  );
}

function Empty() {
  return (
    <div className="ins-inbox__empty">
      <h2>{INBOX_TEXT.empty}</h2>
      <p>{INBOX_TEXT.emptyHint}</p>
    </div>
  );
}

/** The card, with what led to it. */
function OpenRequest({ id }: { readonly id: string }) {
  const request = useRow(useInspector().requests.rows, id);
  if (request === undefined) return null;
  return (
    <section
      className="ins-inbox__open"
      aria-label={INBOX_TEXT.openRequest}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        focusBack(undefined); // the line of the card
      }}
    >
      <RequestCard id={id} hasSession />
      <DenyAll request={request} />
      <LastCalls request={request} />
    </section>
  );
}

/** Requests that are open, or were when they were first shown; of one session, or of all. */
function useStanding(session: string | undefined) {
  const { requests } = useInspector();
  const all = useCell(requests.pending);
  const own = useRow(requests.ofSession, session ?? '');
  const pending = session === undefined ? all : (own ?? NONE);
  const [cleared, setCleared] = useState(0);
  const [released, setReleased] = useState(0);
  const inUse = useRef<RowsInUse>({});
  const shown = useRef<{ of: string; ids: readonly string[] }>({ of: '', ids: [] });
  const of = `${cleared} ${session}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that was left takes its place
  const ids = useMemo(() => {
    const next = inboxOrder({
      before: shown.current.of === of ? shown.current.ids : [],
      pending,
      isKnown: (id) => requests.rows.get(id) !== undefined,
      inUse: Object.values(inUse.current),
    });
    shown.current = { of, ids: next };
    return next;
  }, [pending, of, requests, released]);
  const clear = useCallback(() => setCleared((times) => times + 1), []);
  const use = useCallback((how: keyof RowsInUse | 'moved', id: string | undefined) => {
    // The page focuses a row by itself: that counts only after a press or a key in the list.
    if (how === 'moved' && inUse.current.focused === undefined) return;
    const of = how === 'moved' ? 'focused' : how;
    if (inUse.current[of] === id) return;
    inUse.current[of] = id;
    if (id === undefined) setReleased((times) => times + 1);
  }, []);
  return { ids, closed: ids.length - pending.length, clear, use };
}

interface RowsInUse {
  pointed?: string | undefined;
  focused?: string | undefined;
}

/** The request in the address; the first is put there if none of the list is. */
function useOpen(ids: readonly string[], isReady: boolean): string | undefined {
  const { router } = useInspector();
  const chosen = useRoute().query.get('request');
  const open = chosen !== null && ids.includes(chosen) ? chosen : undefined;
  const first = ids[0];
  // Before it is painted: no button is drawn and moves away at once.
  useLayoutEffect(() => {
    if (isReady && open === undefined && first !== undefined) router.adjust({ request: first });
  }, [isReady, open, first, router]);
  return open;
}

const NONE: readonly string[] = [];

interface ListProps {
  readonly ids: readonly string[];
  readonly open: string | undefined;
  /** A row is pointed at or has the focus; undefined: none any more. */
  readonly use: (how: keyof RowsInUse | 'moved', id: string | undefined) => void;
}

function List({ ids, open, use }: ListProps) {
  const { router } = useInspector();
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const show = useCallback((id: string) => router.adjust({ request: id }), [router]);
  const { list, at } = useListFocus(scroller, {
    name: 'requests',
    ...rowsOf(ids),
    selected: open,
    onMove: show,
  });
  const line_px = useRowHeight(LINE_PX);
  const keyAt = useCallback((index: number) => ids[index], [ids]);
  const virtualizer = useRows(scroller, ids.length, line_px, keyAt, at);
  return (
    <section
      ref={setScroller}
      className="ins-inbox__scroller"
      aria-label={INBOX_TEXT.list}
      {...list}
      onPointerOver={({ target }) => use('pointed', rowAt(target))}
      onPointerLeave={() => use('pointed', undefined)}
      onPointerDownCapture={({ target }) => use('focused', rowAt(target))}
      onKeyDownCapture={({ target }) => use('focused', rowAt(target))}
      onFocusCapture={({ target }) => use('moved', rowAt(target))}
      onBlurCapture={({ relatedTarget }) => {
        if (rowAt(relatedTarget) === undefined) use('focused', undefined);
      }}
    >
      <ul className="ins-inbox__lines" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const id = ids[item.index] ?? '';
          return (
            <li
              key={item.key}
              data-row={id}
              style={{ transform: `translateY(${item.start}px)`, height: item.size }}
            >
              <RequestLine
                id={id}
                isOpen={id === open}
                isCurrent={item.index === at}
                onOpen={show}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function rowAt(target: EventTarget | null): string | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return row?.dataset['row'];
}

/** Switch for desktop notifications; off by default. */
function NoticeSwitch() {
  const { preferences } = useInspector();
  const { notify } = usePreferences();
  const [isRefused, setRefused] = useState(false);
  if (!canNotify()) return null;
  const change = async () => {
    if (notify) preferences.change({ notify: false });
    else {
      const isAllowed = await askForNotices();
      setRefused(!isAllowed);
      preferences.change({ notify: isAllowed });
    }
  };
  return (
    <>
      {isRefused && <span role="alert">{INBOX_TEXT.noticesRefused}</span>}
      <button
        type="button"
        className="ins-link"
        aria-pressed={notify}
        title={INBOX_TEXT.noticesTitle}
        onClick={() => void change()}
      >
        {notify ? INBOX_TEXT.noticesOn : INBOX_TEXT.noticesOff}
      </button>
    </>
  );
}
