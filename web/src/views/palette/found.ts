/** Data that the palette leads to: sessions, and spans of the one that is open. */
import { useEffect, useMemo, useState } from 'react';
import type { Session, SpanRow } from '../../api/types.ts';
import { fuzzyMatch } from '../../model/query/fuzzy.ts';
import { formatDuration, formatStart } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { spanKey } from '../../model/trace/span-tree.ts';
import { sessionPath } from '../../state/route.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector } from '../context.ts';
import { kindName } from '../icons.tsx';
import { type Item, SESSIONS, SPANS } from './items.ts';

const RECENT_SESSIONS = 5;
const MOST = 12;
/** Somebody is still typing. */
const TYPING_MS = 150;

export function useSessionItems(query: string): readonly Item[] {
  const { router } = useInspector();
  const found = useFoundSessions(query);
  return useMemo(
    () =>
      found.map((session) => ({
        id: `session ${session.id}`,
        name: plainLine(session.title || session.id),
        where: SESSIONS,
        detail: `${session.status}, ${formatStart(session.started_at, Date.now())}`,
        run: () => router.push(sessionPath(session.id)),
      })),
    [found, router],
  );
}

/** The newest sessions; with a query those that it may mean, of all that the service has. */
export function useFoundSessions(query: string): readonly Session[] {
  const { sessions } = useInspector();
  const order = useCell(sessions.order);
  const asked = useAskedSessions(query);
  return useMemo(() => {
    const loaded = order.flatMap((id) => sessions.rows.get(id) ?? []);
    const all =
      query === ''
        ? loaded.slice(0, RECENT_SESSIONS)
        : [...best(loaded, query, (session) => session.title || session.id), ...asked];
    return [...new Map(all.map((session) => [session.id, session])).values()];
  }, [order, asked, query, sessions]);
}

/** Sessions that the service knows and the list has not loaded. */
function useAskedSessions(query: string): readonly Session[] {
  const { api } = useInspector();
  const [found, setFound] = useState<readonly Session[]>([]);
  useEffect(() => {
    const words = query.match(/[\p{L}\p{N}_-]+/gu) ?? [];
    if (words.length === 0) return setFound([]);
    const asking = new AbortController();
    const q = words.map((word) => `title~"${word}"`).join(' ');
    const timer = setTimeout(() => {
      api.sessions({ q, limit: MOST }, asking.signal).then(
        (page) => setFound(page.sessions),
        // What is loaded is there without the service.
        () => {},
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [api, query]);
  return found;
}

/** Spans of the open session by name, or by a part of it. */
export function useSpanItems(query: string): readonly Item[] {
  const { openTrace, router } = useInspector();
  const trace = useCell(openTrace);
  return useMemo(() => {
    if (trace === undefined || query === '') return [];
    return best(trace.spans.values(), query, (span) => span.name).map((span) => ({
      id: `span ${spanKey(span)}`,
      name: plainLine(span.name),
      where: SPANS,
      detail: describe(span),
      run: () => openSpan(trace, span, router.adjust.bind(router)),
    }));
  }, [trace, query, router]);
}

function openSpan(
  trace: Trace,
  span: SpanRow,
  adjust: (values: Record<string, string>) => void,
): void {
  if (trace.spans.get(spanKey(span)) !== undefined) adjust({ span: spanKey(span) });
}

function describe(span: SpanRow): string {
  const status = span.status === 'ok' || span.status === 'unset' ? '' : `, ${span.status}`;
  const took = span.duration_ns === null ? '' : `, ${formatDuration(span.duration_ns)}`;
  return `${kindName(span.kind)}${status}${took}`;
}

/** The `MOST` that fit best, in one pass over however many there are. */
function best<T>(all: Iterable<T>, query: string, nameOf: (one: T) => string): T[] {
  const top: { one: T; score: number }[] = [];
  for (const one of all) {
    const score = fuzzyMatch(query, nameOf(one))?.score;
    if (score === undefined) continue;
    if (top.length === MOST && score <= (top[MOST - 1]?.score ?? 0)) continue;
    const place = top.findIndex((other) => other.score < score);
    top.splice(place < 0 ? top.length : place, 0, { one, score });
    top.length = Math.min(top.length, MOST);
  }
  return top.map(({ one }) => one);
}
