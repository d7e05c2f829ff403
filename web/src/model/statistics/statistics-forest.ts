/**
 * Who is below whom, and how long each span took: in itself, with what is below it, waiting apart.
 *
 * The service counts the same (`inspector/service/analysis/span_tree.py`). Everything that grows with the
 * number of spans is a generator, so that 100 000 of them are counted between frames.
 */
import type { SpanRow } from '../../api/types.ts';
import { parentKey, spanKey } from '../trace/span-key.ts';

/** Spans by their place in `rows`; siblings by start. */
export interface Forest {
  readonly rows: readonly SpanRow[];
  readonly roots: readonly number[];
  /** −1 for a root. */
  readonly parents: Int32Array;
  /** Nothing where there are none. */
  readonly children: readonly (readonly number[] | undefined)[];
}

/** Work that gives way every so often. */
export type Slices<T> = Generator<undefined, T>;

/** Rows between two places where the work may be laid down. */
const SLICE = 2000;

export function* everySlice(count: number, work: (place: number) => void): Slices<void> {
  for (let place = 0; place < count; place += 1) {
    work(place);
    if (place % SLICE === SLICE - 1) yield;
  }
}

/** Whether to give way, asked at each step of a walk. */
export function pacer(): () => boolean {
  let steps = 0;
  return () => {
    steps += 1;
    return steps % SLICE === 0;
  };
}

/** Do sliced work in one go. */
export function finish<T>(slices: Slices<T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
  }
}

type Interval = readonly [start_ns: number, end_ns: number | null];

export function* forestOf(rows: readonly SpanRow[]): Slices<Forest> {
  const places = new Map<string, number>();
  yield* everySlice(rows.length, (place) => places.set(spanKey(row(rows, place)), place));
  const parents = new Int32Array(rows.length);
  yield* everySlice(rows.length, (place) => {
    parents[place] = places.get(parentKey(row(rows, place))) ?? -1;
  });
  cutCircles(parents, rows);
  // Rows come nearly in order, which this sort makes use of, and that of typed arrays does not.
  const order = [...rows.keys()].sort((a, b) => byStart(row(rows, a), row(rows, b)));
  yield;
  const roots: number[] = [];
  const children: (number[] | undefined)[] = new Array(rows.length);
  for (const place of order) {
    const parent = parents[place] ?? -1;
    if (parent < 0) roots.push(place);
    else if (children[parent] === undefined) children[parent] = [place];
    else children[parent].push(place);
  }
  return { rows, roots, parents, children };
}

function byStart(a: SpanRow, b: SpanRow): number {
  return (
    a.offset_ns - b.offset_ns || compare(a.span_id, b.span_id) || compare(a.trace_id, b.trace_id)
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function row(rows: readonly SpanRow[], place: number): SpanRow {
  const found = rows[place];
  if (found === undefined) throw new RangeError(`no span at ${place}`);
  return found;
}

/** Make the first span of each circle of parents a root. */
function cutCircles(parents: Int32Array, rows: readonly SpanRow[]): void {
  const isSafe = new Uint8Array(parents.length);
  for (let start = 0; start < parents.length; start += 1) {
    const path: number[] = [];
    const onPath = new Set<number>();
    for (let place = start; place >= 0 && isSafe[place] === 0; place = parents[place] ?? -1) {
      if (onPath.has(place)) {
        const circle = path.slice(path.indexOf(place));
        circle.sort((a, b) => byStart(row(rows, a), row(rows, b)));
        parents[circle[0] ?? place] = -1;
        break;
      }
      path.push(place);
      onPath.add(place);
    }
    for (const place of path) isSafe[place] = 1;
  }
}

/** Places in an order in which each comes before what is below it. */
export function topDown({ roots, children, rows }: Forest): Uint32Array {
  const order = new Uint32Array(rows.length);
  const waiting = roots.toReversed();
  let count = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    order[count] = place;
    count += 1;
    const below = children[place] ?? [];
    for (let at = below.length - 1; at >= 0; at -= 1) waiting.push(below[at] ?? 0);
  }
  return order;
}

/** How long each span that ended, or anything below it, waited for a person; 0 is left out. */
export function waitedBelow({ rows, parents }: Forest): Map<number, number> {
  const found = new Map<number, Interval[]>();
  const add = (place: number, wait: Interval) => {
    const waits = found.get(place);
    if (waits === undefined) found.set(place, [wait]);
    else waits.push(wait);
  };
  rows.forEach((span, place) => {
    if (span.wait_ns === 0 && span.waited.length === 0) return;
    const waits = waitsOf(span);
    // Of a wait without times only the length is known: as if it had been at the beginning.
    if (span.waited.length === 0) waits.push([span.offset_ns, span.offset_ns + span.wait_ns]);
    for (const wait of span.duration_ns === null ? waits : within(waits, span)) {
      for (let above = place; above >= 0; above = parents[above] ?? -1) add(above, wait);
    }
  });
  const lengths = new Map<number, number>();
  for (const [place, waits] of found) {
    const span = row(rows, place);
    if (span.duration_ns !== null) lengths.set(place, covered_ns(within(waits, span)));
  }
  return lengths;
}

/** Time in a span and in none below it, nor waiting; undefined while it runs. */
export function ownTime({ rows, children }: Forest, place: number): number | undefined {
  const span = row(rows, place);
  if (span.duration_ns === null) return undefined;
  const below = children[place];
  if (below === undefined && span.waited.length === 0) {
    return Math.max(span.duration_ns - span.wait_ns, 0);
  }
  const inside: Interval[] = [];
  const waits = waitsOf(span);
  for (const child of below ?? []) {
    const one = row(rows, child);
    // Inside of one that shows the same operation again is what is inside of this one.
    if (one.duplicate_of !== span.span_id) inside.push(extent(one));
    else {
      waits.push(...waitsOf(one));
      for (const grandchild of children[child] ?? []) inside.push(extent(row(rows, grandchild)));
    }
  }
  const untold_ns = span.waited.length > 0 ? 0 : span.wait_ns;
  const covered = covered_ns(within([...inside, ...waits], span));
  return Math.max(span.duration_ns - covered - untold_ns, 0);
}

function extent({ offset_ns, duration_ns }: SpanRow): Interval {
  return [offset_ns, duration_ns === null ? null : offset_ns + duration_ns];
}

function waitsOf(span: SpanRow): Interval[] {
  return span.waited.map(([from, length]) => [from, length === null ? null : from + length]);
}

/** What of the intervals lies in a span that ended. */
function within(intervals: readonly Interval[], span: SpanRow): Interval[] {
  const { offset_ns } = span;
  const end_ns = offset_ns + (span.duration_ns ?? 0);
  return intervals
    .filter(([start, end]) => start < end_ns && (end === null || end > offset_ns))
    .map(([start, end]) => [
      Math.max(start, offset_ns),
      end === null ? end_ns : Math.min(end, end_ns),
    ]);
}

/** The time that intervals cover, all of which are over. */
function covered_ns(intervals: Interval[]): number {
  let sum_ns = 0;
  let reached_ns = Number.NEGATIVE_INFINITY;
  for (const [start, end] of intervals.sort(([a], [b]) => a - b)) {
    const end_ns = end ?? start;
    sum_ns += Math.max(0, end_ns - Math.max(start, reached_ns));
    reached_ns = Math.max(reached_ns, end_ns);
  }
  return sum_ns;
}
