/** Sessions by a part of their title. */
import { useEffect, useMemo, useState } from 'react';
import type { Session } from '../../api/types.ts';
import { type FuzzyMatch, fuzzyMatch } from '../../model/query/fuzzy.ts';
import { useCell, useInspector } from './context.ts';

const RECENT_SESSIONS = 5;
const MOST = 12;
/** Pause after the last key before a request. */
const TYPING_MS = 150;

/** The newest sessions; with a query, the best matches among all stored ones. */
export function useFoundSessions(query: string): readonly Session[] {
  const { sessions } = useInspector();
  const order = useCell(sessions.order);
  const matching = useMatchingSessions(query);
  return useMemo(() => {
    const loaded = order.flatMap((id) => sessions.rows.get(id) ?? []);
    const all =
      query === ''
        ? loaded.slice(0, RECENT_SESSIONS)
        : [
            ...best(loaded, (session) => fuzzyMatch(query, session.title || session.id, true)),
            ...matching,
          ];
    return [...new Map(all.map((session) => [session.id, session])).values()];
  }, [order, matching, query, sessions]);
}

/** Matching sessions that the list has not loaded. */
function useMatchingSessions(query: string): readonly Session[] {
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

/** The `MOST` best matches, in a single pass. */
export function best<T>(all: Iterable<T>, matchOf: (one: T) => FuzzyMatch | undefined): T[] {
  const top: { one: T; score: number }[] = [];
  for (const one of all) {
    const score = matchOf(one)?.score;
    if (score === undefined) continue;
    if (top.length === MOST && score <= (top[MOST - 1]?.score ?? 0)) continue;
    const place = top.findIndex((other) => other.score < score);
    top.splice(place < 0 ? top.length : place, 0, { one, score });
    top.length = Math.min(top.length, MOST);
  }
  return top.map(({ one }) => one);
}
