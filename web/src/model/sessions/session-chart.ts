/** Texts and positions of the chart of sessions over time: its bars, and a drag over it. */
import type { SessionHistogram } from '../../api/types.ts';
import { plural } from '../text/format.ts';

export interface Bar {
  readonly since_ms: number;
  readonly until_ms: number;
  readonly total: number;
  readonly failed: number;
  readonly waiting: number;
}

export function barsOf({ bucket_ms, buckets }: SessionHistogram): readonly Bar[] {
  return buckets.map(({ started_at, counts }) => ({
    since_ms: Date.parse(started_at),
    until_ms: Date.parse(started_at) + bucket_ms,
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    failed: counts.failed ?? 0,
    waiting: counts.waiting ?? 0,
  }));
}

/** Several bars added into one; undefined for none. */
export function joined(bars: readonly Bar[]): Bar | undefined {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const sum = (of: (bar: Bar) => number) => bars.reduce((all, bar) => all + of(bar), 0);
  return {
    since_ms: first.since_ms,
    until_ms: last.until_ms,
    total: sum((bar) => bar.total),
    failed: sum((bar) => bar.failed),
    waiting: sum((bar) => bar.waiting),
  };
}

/** `12 sessions, 1 failed, 2 waiting`. */
export function describeBar({ total, failed, waiting }: Bar): string {
  const parts = [plural(total, 'session')];
  if (failed > 0) parts.push(`${failed} failed`);
  if (waiting > 0) parts.push(`${waiting} waiting`);
  return parts.join(', ');
}

const DAY_MS = 86_400_000;

/** A time on an axis of this length, only as exact as needed, in the reader's zone. */
export function axisTime(at_ms: number, length_ms: number, width_ms: number): string {
  const date = new Date(at_ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getDate()} ${date.toLocaleString('en', { month: 'short' })}`;
  if (width_ms >= DAY_MS) return length_ms > 300 * DAY_MS ? `${day} ${date.getFullYear()}` : day;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const time = width_ms < 60_000 ? `${clock}:${two(date.getSeconds())}` : clock;
  return length_ms > DAY_MS ? `${day} ${time}` : time;
}

/** A range in words: `22 Nov 14:05 – 14:20`. */
export function rangeName(since_ms: number, until_ms: number): string {
  const isExact = since_ms % 60_000 !== 0 || until_ms % 60_000 !== 0;
  const width_ms = isExact ? 1000 : 60_000;
  const from = axisTime(since_ms, 2 * DAY_MS, width_ms);
  const isSameDay = new Date(since_ms).toDateString() === new Date(until_ms).toDateString();
  return `${from} – ${axisTime(until_ms, isSameDay ? 0 : 2 * DAY_MS, width_ms)}`;
}
