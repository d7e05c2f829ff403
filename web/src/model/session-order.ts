/** The order and the filter of the session list. */
import type { Session } from '../api/types.ts';

/** Newest first; ties by id, so that the order is total. */
export function compareNewestFirst(a: Session, b: Session): number {
  const [left, right] = [a.epoch_ns.padStart(20, '0'), b.epoch_ns.padStart(20, '0')];
  if (left !== right) return left < right ? 1 : -1;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** One word of the filter: `status:running`, `agent:planner`, or text in any column. */
export interface Term {
  readonly field: string | undefined;
  readonly text: string;
}

export function parseFilter(query: string): Term[] {
  const words = query.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g);
  return [...words].flatMap(([, field, quoted, word]) => {
    const text = (quoted ?? word ?? '').toLowerCase();
    return text === '' ? [] : [{ field: field?.toLowerCase(), text }];
  });
}

const FIELDS: Readonly<Record<string, (session: Session) => readonly string[]>> = {
  id: (session) => [session.id],
  title: (session) => [session.title],
  status: (session) => [session.status],
  engine: (session) => [session.engine],
  agent: (session) => session.agents,
  model: (session) => session.models,
  service: (session) => session.services,
  tag: (session) => session.tags,
};

export const FILTER_FIELDS: readonly string[] = Object.keys(FIELDS);

/** Every term must match. A term whose field we do not know is looked for as it was typed. */
export function matchesFilter(session: Session, terms: readonly Term[]): boolean {
  return terms.every((term) => {
    const read = term.field === undefined ? undefined : FIELDS[term.field];
    if (read !== undefined) return read(session).some((value) => includes(value, term.text));
    const text = term.field === undefined ? term.text : `${term.field}:${term.text}`;
    return Object.values(FIELDS).some((values) =>
      values(session).some((value) => includes(value, text)),
    );
  });
}

function includes(value: string, text: string): boolean {
  return value.toLowerCase().includes(text);
}

/** Sessions that began in each of the last minutes, oldest first. */
export interface MinuteCount {
  total: number;
  failed: number;
}

export function countPerMinute(
  sessions: Iterable<Session>,
  now_ms: number,
  minutes: number,
): MinuteCount[] {
  const counts = Array.from({ length: minutes }, () => ({ total: 0, failed: 0 }));
  const lastMinute = Math.floor(now_ms / 60_000);
  for (const session of sessions) {
    const minute = Math.floor(Date.parse(session.started_at) / 60_000);
    const count = counts[minutes - 1 - (lastMinute - minute)];
    if (count === undefined) continue;
    count.total += 1;
    if (session.status === 'failed') count.failed += 1;
  }
  return counts;
}
