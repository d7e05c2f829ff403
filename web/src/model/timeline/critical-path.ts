/**
 * Critical path of a session: the spans that its end waited for.
 *
 * The rule is that of Jaeger's critical path: from the end of a span backwards, the time is its
 * last-finishing child's; then that of the child that finished last before this one began, and so
 * on; the rest is the span's own. A child that still ran when the next one began was not waited for.
 * The roots count as children of the session. A child is cut to its parent; a duplicate without
 * descendants is no child.
 */
import type { SpanForest } from '../trace/span-forest.ts';
import type { TimeWindow } from './time-scale.ts';

/**
 * Number of a span → the intervals in which the end waited for the span itself, the last one first.
 */
export type CriticalPath = ReadonlyMap<number, readonly TimeWindow[]>;

/** Compute the critical path in steps; spans may come and change between them. */
export function* criticalPathSteps(
  forest: SpanForest,
  timesOf: (number: number) => TimeWindow,
): Generator<void, CriticalPath> {
  const path = new Map<number, TimeWindow[]>();
  const own = (number: number, start_ns: number, end_ns: number): void => {
    if (end_ns <= start_ns) return;
    const stretches = path.get(number);
    if (stretches === undefined) path.set(number, [{ start_ns, end_ns }]);
    else stretches.push({ start_ns, end_ns });
  };
  // Explicit stack: a 10 000-deep agent loop must not overflow the call stack.
  const open: Step[] = [];
  const go = (number: number, start_ns: number, until_ns: number): void => {
    const children = number === SESSION ? forest.roots() : forest.childrenOf(number);
    const inside = children
      .filter((child) => !forest.isBareDuplicate(child))
      .map((child) => ({ child, times: timesOf(child) }))
      .sort((a, b) => a.times.end_ns - b.times.end_ns || a.child - b.child);
    open.push({ number, start_ns, end_ns: until_ns, until_ns, inside });
  };
  go(SESSION, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  let count = 0;
  for (let step = open.at(-1); step !== undefined; step = open.at(-1)) {
    count += 1;
    if (count % STEPS === 0) yield;
    const last = step.inside.pop();
    if (last === undefined) {
      if (step.number !== SESSION) own(step.number, step.start_ns, step.until_ns);
      open.pop();
      continue;
    }
    const start_ns = Math.max(last.times.start_ns, step.start_ns);
    const end_ns = Math.min(last.times.end_ns, step.end_ns);
    if (end_ns > step.until_ns || end_ns <= start_ns) continue;
    if (step.number !== SESSION) own(step.number, end_ns, step.until_ns);
    step.until_ns = start_ns;
    go(last.child, start_ns, end_ns);
  }
  return path;
}

const SESSION = -1;
/** Spans of one step: far less than a slice. */
const STEPS = 500;

interface Step {
  readonly number: number;
  readonly start_ns: number;
  readonly end_ns: number;
  /** Time before this is not assigned yet. */
  until_ns: number;
  /** Children still to be visited, the last-finishing one at the end. */
  readonly inside: { readonly child: number; readonly times: TimeWindow }[];
}
