/**
 * Intervals in which nothing works, and a time axis that shortens them.
 *
 * Something works where a span without children runs and does not wait for a person. A gap is an
 * interval between such times that is longer than `RATIO` times the median of all intervals, with
 * and without work.
 *
 * Two spaces: *offsets* are nanoseconds from the session's epoch; *places* are offsets with the
 * gaps made short. Without gaps they are the same.
 */
import type { TimeWindow } from './time-scale.ts';

const RATIO = 20;
/** Share of a shortened gap in the time of all that is no gap. */
const SHORT = 0.03;

export interface Gap extends TimeWindow {
  /** Whether most of it is a wait for a person. */
  readonly isWaiting: boolean;
}

/** The gaps between intervals of work, by start; work and waits may come in any order. */
export function gapsOf(work: readonly TimeWindow[], waits: readonly TimeWindow[] = []): Gap[] {
  const busy = union(work);
  const idle = busy.slice(1).map((next, at) => ({
    start_ns: busy[at]?.end_ns ?? next.start_ns,
    end_ns: next.start_ns,
  }));
  // Typed: those are sorted without a call for each comparison.
  const lengths = Float64Array.from([...busy, ...idle], lengthOf).sort();
  const median_ns = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;
  const waited = union(waits);
  return idle
    .filter((gap) => lengthOf(gap) > RATIO * median_ns)
    .map((gap) => ({ ...gap, isWaiting: sharedWith(gap, waited) * 2 > lengthOf(gap) }));
}

/** Time of a gap that disjoint intervals cover. */
function sharedWith({ start_ns, end_ns }: TimeWindow, stretches: readonly TimeWindow[]): number {
  let shared_ns = 0;
  for (const one of stretches) {
    shared_ns += Math.max(0, Math.min(one.end_ns, end_ns) - Math.max(one.start_ns, start_ns));
  }
  return shared_ns;
}

/** Union of intervals: disjoint, by start. */
function union(stretches: readonly TimeWindow[]): TimeWindow[] {
  const covered: { start_ns: number; end_ns: number }[] = [];
  for (const { start_ns, end_ns } of [...stretches].sort((a, b) => a.start_ns - b.start_ns)) {
    const last = covered.at(-1);
    if (last === undefined || start_ns > last.end_ns) covered.push({ start_ns, end_ns });
    else last.end_ns = Math.max(last.end_ns, end_ns);
  }
  return covered;
}

/** An interval without its waits. */
export function withoutWaits(
  { start_ns, end_ns }: TimeWindow,
  waits: readonly (readonly [number, number | null])[],
): TimeWindow[] {
  const parts: TimeWindow[] = [];
  let from_ns = start_ns;
  for (const [offset_ns, length_ns] of waits) {
    const wait_ns = Math.min(Math.max(offset_ns, from_ns), end_ns);
    if (wait_ns > from_ns) parts.push({ start_ns: from_ns, end_ns: wait_ns });
    const until_ns = length_ns === null ? end_ns : offset_ns + length_ns;
    from_ns = Math.min(Math.max(from_ns, until_ns), end_ns);
  }
  if (end_ns > from_ns || parts.length === 0) parts.push({ start_ns: from_ns, end_ns });
  return parts;
}

/** The waits of a span; an open one lasts as long as the span, here until `end_ns`. */
export function waitsOf(
  waits: readonly (readonly [number, number | null])[],
  end_ns: number,
): TimeWindow[] {
  return waits.map(([start_ns, length_ns]) => ({
    start_ns,
    end_ns: length_ns === null ? Math.max(start_ns, end_ns) : start_ns + length_ns,
  }));
}

/**
 * An axis of this length. `areShort`: what the reader chose; else gaps are short where they take
 * more than a third of it.
 */
export function axisOf(gaps: readonly Gap[], extent_ns: number, areShort?: boolean): TimeAxis {
  const isShort = areShort ?? timeOf(gaps) * 3 > extent_ns;
  return isShort ? new TimeAxis(gaps, extent_ns) : new TimeAxis();
}

export class TimeAxis {
  /** Gaps that are shortened. */
  readonly gaps: readonly TimeWindow[];
  private readonly short_ns: number;
  /** Beginning of each gap, as a place on the axis. */
  private readonly places: readonly number[];

  /** `extent_ns`: length of the whole axis. The gaps are disjoint and by start. */
  constructor(gaps: readonly TimeWindow[] = [], extent_ns = 0) {
    this.short_ns = Math.max(1, (extent_ns - timeOf(gaps)) * SHORT);
    this.gaps = gaps.filter((gap) => lengthOf(gap) > this.short_ns);
    const places: number[] = [];
    let saved_ns = 0;
    for (const gap of this.gaps) {
      places.push(gap.start_ns - saved_ns);
      saved_ns += lengthOf(gap) - this.short_ns;
    }
    this.places = places;
  }

  placeOf(offset_ns: number): number {
    const at = lastNotAfter(this.gaps, offset_ns, ({ start_ns }) => start_ns);
    const gap = this.gaps[at];
    if (gap === undefined) return offset_ns;
    const place = this.places[at] ?? 0;
    if (offset_ns >= gap.end_ns) return place + this.short_ns + (offset_ns - gap.end_ns);
    return place + ((offset_ns - gap.start_ns) / lengthOf(gap)) * this.short_ns;
  }

  offsetOf(place: number): number {
    const at = lastNotAfter(this.places, place, (begin) => begin);
    const gap = this.gaps[at];
    if (gap === undefined) return place;
    const inside = place - (this.places[at] ?? 0);
    if (inside >= this.short_ns) return gap.end_ns + (inside - this.short_ns);
    return gap.start_ns + (inside / this.short_ns) * lengthOf(gap);
  }

  windowOf({ start_ns, end_ns }: TimeWindow): TimeWindow {
    return { start_ns: this.placeOf(start_ns), end_ns: this.placeOf(end_ns) };
  }

  /** Intervals between the gaps within a window of places, as offsets. */
  segments(view: TimeWindow): TimeWindow[] {
    const found: TimeWindow[] = [];
    let from_ns = this.offsetOf(view.start_ns);
    const until_ns = this.offsetOf(view.end_ns);
    for (const gap of this.gaps) {
      if (gap.end_ns <= from_ns || gap.start_ns >= until_ns) continue;
      if (gap.start_ns > from_ns) found.push({ start_ns: from_ns, end_ns: gap.start_ns });
      from_ns = gap.end_ns;
    }
    if (until_ns > from_ns) found.push({ start_ns: from_ns, end_ns: until_ns });
    return found;
  }
}

/** The time that disjoint intervals take together, in nanoseconds. */
function timeOf(stretches: readonly TimeWindow[]): number {
  return stretches.reduce((sum, one) => sum + lengthOf(one), 0);
}

function lengthOf({ start_ns, end_ns }: TimeWindow): number {
  return end_ns - start_ns;
}

/** Index of the last item that begins at or before a value; -1 if none does. */
function lastNotAfter<T>(items: readonly T[], value: number, beginOf: (item: T) => number): number {
  let low = -1;
  let high = items.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const item = items[middle];
    if (item !== undefined && beginOf(item) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
