/**
 * Playing a session: how an instant moves on.
 *
 * Gaps are skipped: nothing works in them, and nobody would look at a picture that stands still for
 * an hour.
 */
import type { TimeWindow } from './time-scale.ts';

/** Multiples of the speed at which it happened. */
export const SPEEDS = [1, 4, 16, 64, 256] as const;

export type Speed = (typeof SPEEDS)[number];

/** Time within which a session is played at first. */
const AT_MOST_NS = 30e9;

/** The lowest speed at which this much time, without its gaps, is played soon enough. */
export function speedFor(extent: TimeWindow, gaps: readonly TimeWindow[]): Speed {
  const idle_ns = gaps.reduce((sum, { start_ns, end_ns }) => sum + end_ns - start_ns, 0);
  const work_ns = extent.end_ns - extent.start_ns - idle_ns;
  return SPEEDS.find((speed) => work_ns / speed <= AT_MOST_NS) ?? SPEEDS[4];
}

/** An instant moved on by some time, without that of the gaps, which are disjoint and by start. */
export function playedOn(at_ns: number, by_ns: number, gaps: readonly TimeWindow[]): number {
  let next_ns = at_ns + by_ns;
  for (const { start_ns, end_ns } of gaps) {
    if (end_ns <= at_ns) continue;
    if (start_ns > next_ns) break;
    next_ns += end_ns - Math.max(start_ns, at_ns);
  }
  return next_ns;
}
