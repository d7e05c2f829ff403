/** Self time of each span, and its waits for a person. */
import type { SpanRow } from '../../api/types.ts';
import { eachPlace, type Steps } from '../slices.ts';
import type { SpanTree } from '../trace/span-tree.ts';

type Interval = readonly [start_ns: number, end_ns: number | null];

/**
 * Self times by position in the tree: the span without what is below it and without waiting;
 * undefined while it runs.
 */
export function* ownTimes({ rows, parent }: SpanTree): Steps<(number | undefined)[]> {
  const inside = new Map<number, Interval[]>();
  const put = (place: number, intervals: readonly Interval[]) => {
    if (place < 0 || intervals.length === 0) return;
    const others = inside.get(place);
    if (others === undefined) inside.set(place, [...intervals]);
    else others.push(...intervals);
  };
  yield* eachPlace(rows.length, (place) => {
    const row = rows[place];
    if (row === undefined) return;
    put(place, waitsOf(row));
    const above = parent[place] ?? -1;
    put(above, row.duplicate_of === rows[above]?.span_id ? waitsOf(row) : [extent(row)]);
    // What is inside of a duplicate is inside of what it shows again.
    const higher = parent[above] ?? -1;
    if (rows[above]?.duplicate_of === rows[higher]?.span_id) put(higher, [extent(row)]);
  });
  const own: (number | undefined)[] = [];
  yield* eachPlace(rows.length, (place) => {
    const row = rows[place];
    own.push(row === undefined ? undefined : ownTime(row, inside.get(place) ?? []));
  });
  return own;
}

function ownTime(row: SpanRow, inside: readonly Interval[]): number | undefined {
  if (row.duration_ns === null) return undefined;
  // Of a wait without times only the length is known.
  const untimed_ns = row.waited.length > 0 ? 0 : row.wait_ns;
  return Math.max(row.duration_ns - covered_ns(within(inside, row)) - untimed_ns, 0);
}

/** Time that each ended span, or anything below it, waited for a person; 0 is left out. */
export function waitedBelow({ rows, parent }: SpanTree): Map<number, number> {
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
      for (let above = place; above >= 0; above = parent[above] ?? -1) add(above, wait);
    }
  });
  const lengths = new Map<number, number>();
  for (const [place, waits] of found) {
    const span = rows[place];
    if (span !== undefined && span.duration_ns !== null)
      lengths.set(place, covered_ns(within(waits, span)));
  }
  return lengths;
}

function extent({ offset_ns, duration_ns }: SpanRow): Interval {
  return [offset_ns, duration_ns === null ? null : offset_ns + duration_ns];
}

function waitsOf(span: SpanRow): Interval[] {
  return span.waited.map(([from, length]) => [from, length === null ? null : from + length]);
}

/** Parts of the intervals that lie in a span that ended. */
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

/** The time that intervals cover together; all of them have ended. */
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

/** The `most` rows with the greatest `measure`, in descending order; 0 is left out. */
export function greatest(
  rows: readonly SpanRow[],
  measure: (row: SpanRow, place: number) => number,
  most: number,
): { readonly row: SpanRow; readonly value: number }[] {
  const found: { row: SpanRow; value: number }[] = [];
  rows.forEach((row, place) => {
    const value = measure(row, place);
    if (value <= (found.length < most ? 0 : (found.at(-1)?.value ?? 0))) return;
    const at = found.findIndex((one) => one.value < value);
    found.splice(at < 0 ? found.length : at, 0, { row, value });
    if (found.length > most) found.pop();
  });
  return found;
}
