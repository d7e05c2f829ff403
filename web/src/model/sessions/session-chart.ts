/** Bars of the chart of sessions over time, and what they say. */
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
