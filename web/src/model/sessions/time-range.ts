/** Time range of the list: all of it, the last hours, or from one moment to another. */

export type TimeRange =
  | { readonly kind: 'all' }
  | { readonly kind: 'last'; readonly name: string; readonly length_ms: number }
  | { readonly kind: 'between'; readonly since_ms: number; readonly until_ms: number };

export const ALL_TIME: TimeRange = { kind: 'all' };

const HOUR_MS = 3_600_000;

export const LAST: readonly (TimeRange & { kind: 'last' })[] = [
  { kind: 'last', name: '1h', length_ms: HOUR_MS },
  { kind: 'last', name: '24h', length_ms: 24 * HOUR_MS },
  { kind: 'last', name: '7d', length_ms: 7 * 24 * HOUR_MS },
];

/** Time range of an address: `1h`, or an ISO 8601 interval; anything else is all time. */
export function parseTimeRange(text: string | null): TimeRange {
  const last = LAST.find(({ name }) => name === text);
  if (last !== undefined) return last;
  const [since_ms = Number.NaN, until_ms = Number.NaN] = (text ?? '').split('/').map(Date.parse);
  return since_ms >= 0 && until_ms > since_ms ? { kind: 'between', since_ms, until_ms } : ALL_TIME;
}

/** Text that `parseTimeRange` reads; undefined for all time. */
export function timeRangeText(range: TimeRange): string | undefined {
  if (range.kind === 'all') return undefined;
  if (range.kind === 'last') return range.name;
  return `${new Date(range.since_ms).toISOString()}/${new Date(range.until_ms).toISOString()}`;
}

export interface Bounds {
  readonly since_ms?: number;
  /** End of the range, exclusive. */
  readonly until_ms?: number;
}

export function boundsOf(range: TimeRange, now_ms: number): Bounds {
  switch (range.kind) {
    case 'all':
      return {};
    case 'last':
      return { since_ms: Math.max(0, Math.floor(now_ms - range.length_ms)) };
    case 'between':
      return { since_ms: range.since_ms, until_ms: range.until_ms };
  }
}

export function isWithin({ since_ms, until_ms }: Bounds, at_ms: number): boolean {
  return at_ms >= (since_ms ?? -Infinity) && at_ms < (until_ms ?? Infinity);
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
/** Round lengths for a bar. */
const WIDTHS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_MS),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * DAY_MS),
];
const MOST_BUCKETS = 90;

/** Division of a time range into bars: at most 90, each of a round length. */
export function bucketsOf(
  since_ms: number,
  until_ms: number,
): { bucket_ms: number; buckets: number; until_ms: number } {
  const length_ms = Math.max(until_ms - since_ms, MINUTE_MS);
  const bucket_ms =
    WIDTHS_MS.find((width_ms) => length_ms / width_ms <= MOST_BUCKETS) ??
    Math.ceil(length_ms / MOST_BUCKETS / DAY_MS) * DAY_MS;
  const first = Math.floor((until_ms - length_ms) / bucket_ms);
  const last = Math.floor((until_ms - 1) / bucket_ms);
  return { bucket_ms, buckets: Math.max(1, last - first + 1), until_ms: Math.floor(until_ms) - 1 };
}
