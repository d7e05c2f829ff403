/** Orders of the session list: those of the service (`storage/orders.py`), for live rows. */
import type { Session } from '../../api/types.ts';

export const SORT_KEYS = [
  'started',
  'changed',
  'title',
  'duration',
  'waiting',
  'spans',
  'errors',
  'llm_calls',
  'tool_calls',
  'tokens',
  'cost',
] as const;

export type SortKey = (typeof SORT_KEYS)[number];
/** Sort parameter of the API; `-`: descending. */
export type Sort = SortKey | `-${SortKey}`;
export type SortValue = number | string;

export const NEWEST_FIRST: Sort = '-started';

/** Sort of an address; the default is the newest first. */
export function parseSort(text: string | null): Sort {
  const key = SORT_KEYS.find((one) => one === text?.replace(/^-/, ''));
  if (key === undefined) return NEWEST_FIRST;
  return text?.startsWith('-') ? `-${key}` : key;
}

export function sortKey(sort: Sort): SortKey {
  return sort.replace(/^-/, '') as SortKey;
}

export function isDescending(sort: Sort): boolean {
  return sort.startsWith('-');
}

/** Order after a click on a column: descending, titles from A; then the other way. */
export function nextSort(now: Sort, key: SortKey): Sort {
  if (sortKey(now) === key) return isDescending(now) ? key : `-${key}`;
  return key === 'title' ? key : `-${key}`;
}

/** Value to sort by. */
export function sortValue(session: Session, sort: Sort, now_ms: number): SortValue {
  switch (sortKey(sort)) {
    case 'changed':
      // Change numbers of different stores say nothing about each other.
      return `${session.changed_at} ${String(session.change).padStart(16, '0')}`;
    case 'title':
      return session.title.replace(/[A-Z]+/g, (text) => text.toLowerCase()).slice(0, 64);
    case 'duration':
      return ran_ms(session, now_ms);
    case 'waiting':
      return waited_ms(session, now_ms);
    case 'spans':
      return session.span_count;
    case 'errors':
      return session.error_count;
    case 'llm_calls':
      return session.llm_calls;
    case 'tool_calls':
      return session.tool_calls;
    case 'tokens':
      return session.input_tokens + session.output_tokens;
    case 'cost':
      return session.cost_usd ?? (isDescending(sort) ? -Infinity : Infinity);
    default:
      return session.epoch_ns.padStart(20, '0');
  }
}

/** Time that any span of it ran, until now: without the pauses between its runs. */
export function ran_ms(session: Session, now_ms: number): number {
  if (session.duration_ms !== null) return session.duration_ms;
  const until_ms = session.idle_since === null ? now_ms : Date.parse(session.idle_since);
  return Math.max(0, until_ms - Date.parse(session.started_at) - session.idle_ms);
}

/** Time that it waited for a person, until now. */
export function waited_ms(session: Session, now_ms: number): number {
  const since_ms = session.waiting_since === null ? now_ms : Date.parse(session.waiting_since);
  return session.waiting_ms + Math.max(0, now_ms - (since_ms || now_ms));
}

/** Compare two rows; ties by id, so that the order is total. */
export function comparePlaces(
  sort: Sort,
  a: readonly [SortValue, string],
  b: readonly [SortValue, string],
): number {
  const way = isDescending(sort) ? -1 : 1;
  if (a[0] !== b[0]) return a[0] < b[0] ? -way : way;
  return a[1] < b[1] ? -way : a[1] > b[1] ? way : 0;
}
