/**
 * `/ui/waiting`: open requests, the longest first.
 *
 * No card moves by itself: new requests are added at the end, answered ones keep their place until
 * they are cleared away. Only the cards in view are drawn, and one is open.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { allowsByItself } from '../../model/requests/request.ts';
import { plural } from '../../model/text/format.ts';
import type { Requests } from '../../state/requests.ts';
import {
  useCell,
  useInspector,
  usePreferences,
  useRoute,
  useRow,
  useTitle,
} from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { askForNotices, canNotify } from '../parts/requests/notices.ts';
import { RequestCard } from '../parts/requests/request-card.tsx';
import { useRangeWith } from '../parts/rows.ts';
import './inbox-page.css';

const CLOSED_PX = 50;
const OVERSCAN = 6;

export function InboxPage() {
  const { requests } = useInspector();
  const state = useCell(requests.state);
  const count = useCell(requests.pending).length;
  const session = useRoute().query.get('session') ?? undefined;
  const { ids, closed, only, clear } = useStanding(session);
  useOpenOnly(only);
  useTitle('Waiting');
  return (
    <main className="ins-inbox">
      <header className="ins-inbox__head">
        <h1>Waiting for you</h1>
        <span role="status">
          {state.kind === 'loading' ? 'loading' : plural(count, 'request')}
          {session !== undefined && (
            <>
              {', one session shown '}
              <Link className="ins-link" to="waiting">
                show all
              </Link>
            </>
          )}
        </span>
        {closed > 0 && (
          <button type="button" className="ins-link" onClick={clear}>
            Clear {closed} closed
          </button>
        )}
        <span className="ins-inbox__end">
          <NoticeSwitch />
          <Link className="ins-link" to="audit">
            Audit log
          </Link>
        </span>
      </header>
      {state.kind === 'failed' && (
        <p className="ins-request__problem ins-inbox__problem" role="alert">
          {state.message}
        </p>
      )}
      {ids.length === 0 && state.kind === 'ready' ? <Empty /> : <Cards ids={ids} />}
    </main>
  );
}

function Empty() {
  return (
    <div className="ins-inbox__empty">
      <h2>Nobody waits for you</h2>
      <p>
        When a tool call needs an approval, or an agent has a question, it is answered here, in the
        list of sessions, and where it happens in a session.
      </p>
    </div>
  );
}

/** Requests that are open, or were when they were first shown; of one session, or of all. */
function useStanding(session: string | undefined) {
  const { requests } = useInspector();
  const all = useCell(requests.pending);
  const own = useRow(requests.ofSession, session ?? '');
  const pending = session === undefined ? all : (own ?? NONE);
  const [cleared, setCleared] = useState(0);
  const shown = useRef<{ of: string; ids: readonly string[] }>({ of: '', ids: [] });
  const of = `${cleared} ${session}`;
  const ids = useMemo(() => {
    const before = shown.current.of === of ? shown.current.ids : [];
    const waiting = new Set(pending);
    const standing = before.filter((id) => waiting.has(id) || requests.rows.get(id) !== undefined);
    const known = new Set(standing);
    const next = [...standing];
    for (const id of pending.filter((one) => !known.has(one)))
      next.splice(placeIn(next, id, requests), 0, id);
    shown.current = { of, ids: next };
    return next;
  }, [pending, of, requests]);
  const clear = useCallback(() => setCleared((times) => times + 1), []);
  const only = pending.length === 1 ? pending[0] : undefined;
  return { ids, closed: ids.length - pending.length, only, clear };
}

/** Where a new request goes: to the end, or behind those that allow by themselves as it does. */
function placeIn(ids: readonly string[], id: string, { rows }: Requests): number {
  const isUrgent = (one: string) => {
    const request = rows.get(one);
    return request !== undefined && allowsByItself(request);
  };
  const at = isUrgent(id) ? ids.findIndex((one) => !isUrgent(one)) : -1;
  return at < 0 ? ids.length : at;
}

/** Open the only pending request, once: the reader can fold it. */
function useOpenOnly(only: string | undefined): void {
  const { router } = useInspector();
  const open = useRoute().query.get('request');
  const offered = useRef<string | undefined>(undefined);
  // Before it is painted: no button is drawn and moves away at once.
  useLayoutEffect(() => {
    if (only === undefined || offered.current === only) return;
    offered.current = only;
    if (open === null) router.adjust({ request: only });
  }, [only, open, router]);
}

const NONE: readonly string[] = [];

function Cards({ ids }: { readonly ids: readonly string[] }) {
  const { router } = useInspector();
  const open = useRoute().query.get('request') ?? undefined;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { list, at } = useListFocus(scroller, {
    name: 'requests',
    ...rowsOf(ids),
    selected: open,
  });
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: ids.length,
    getScrollElement: useCallback(() => scroller, [scroller]),
    estimateSize: useCallback(() => CLOSED_PX, []),
    getItemKey: useCallback((index: number) => ids[index] ?? index, [ids]),
    overscan: OVERSCAN,
    rangeExtractor: useRangeWith(at),
  });
  const toggle = useCallback(
    (id: string) => {
      const isOpen = router.route.get().query.get('request') === id;
      router.adjust({ request: isOpen ? undefined : id });
    },
    [router],
  );
  return (
    <section ref={setScroller} className="ins-inbox__scroller" aria-label="Requests" {...list}>
      <ul className="ins-inbox__cards" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const id = ids[item.index] ?? '';
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              data-row={id}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <RequestCard
                id={id}
                isOpen={id === open}
                isCurrent={item.index === at}
                onToggle={toggle}
                hasSession
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
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
      {isRefused && <span role="alert">The browser does not allow it for this page.</span>}
      <button
        type="button"
        className="ins-link"
        aria-pressed={notify}
        title="Says the session and the tool, never the arguments"
        onClick={() => void change()}
      >
        {notify ? 'Stop desktop notifications' : 'Notify me on the desktop'}
      </button>
    </>
  );
}
