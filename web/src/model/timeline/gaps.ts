/**
 * Intervals in which nothing works, and a time axis that shortens them.
 *
 * Something works where a span without children runs and does not wait for a person. A span with
 * children may compute between them, or only frame them while its user sleeps: the trace does not
 * say which. To count it as work would leave no gap in a session that one agent or root spans, so
 * it is none, but such a gap is not called idle.
 *
 * A gap is an interval between such times that is long beside all of them: a tenth, or less where
 * many shorter ones together are a third.
 *
 * Two spaces: *offsets* are nanoseconds from the session's epoch; *places* are offsets with the
 * gaps made short. Without gaps they are the same.
 */
import type { TimeWindow } from './time-scale.ts';

/** Least share of the extent of a gap, and of one of many. */
const LONG = 1 / 10;
const ONE_OF_MANY = 1 / 50;
/** Share of the extent from which gaps are short unless the reader chooses. */
const MUCH = 1 / 3;
/** Time that nobody waits for: shorter gaps are shown as they are, unless the reader chooses. */
const NOTICED_NS = 1e9;
/** Share of a shortened gap in the time of all that is no gap. */
const SHORT = 0.03;
/** Share in that time of work that is too short to part two gaps. */
const BETWEEN = SHORT / 3;

export interface Gap extends TimeWindow {
  /** What most of it is: a wait for a person, a span that runs without a child, or neither. */
  readonly kind: 'waiting' | 'childless' | 'idle';
}

/**
 * The gaps between intervals of work, by start; all may come in any order. `frames`: times of spans
 * with children.
 */
export function gapsOf(
  work: readonly TimeWindow[],
  waits: readonly TimeWindow[] = [],
  frames: readonly TimeWindow[] = [],
): Gap[] {
  const busy = union(work);
  const extent_ns = (busy.at(-1)?.end_ns ?? 0) - (busy[0]?.start_ns ?? 0);
  const rests = busy
    .slice(1)
    .map((next, at) => ({ start_ns: busy[at]?.end_ns ?? next.start_ns, end_ns: next.start_ns }))
    .filter((rest) => lengthOf(rest) > ONE_OF_MANY * extent_ns);
  const gaps = isMuch(rests, extent_ns)
    ? rests
    : rests.filter((rest) => lengthOf(rest) > LONG * extent_ns);
  const waited = union(waits);
  const framed = union(frames);
  return union(gaps, (extent_ns - timeOf(gaps)) * BETWEEN).map((gap) => {
    const isMost = (of: readonly TimeWindow[]) => sharedWith(gap, of) * 2 > lengthOf(gap);
    return { ...gap, kind: isMost(waited) ? 'waiting' : isMost(framed) ? 'childless' : 'idle' };
  });
}

function isMuch(gaps: readonly TimeWindow[], extent_ns: number): boolean {
  return timeOf(gaps) > extent_ns * MUCH;
}

/** Time of a gap that disjoint intervals cover. */
function sharedWith({ start_ns, end_ns }: TimeWindow, stretches: readonly TimeWindow[]): number {
  let shared_ns = 0;
  for (const one of stretches) {
    shared_ns += Math.max(0, Math.min(one.end_ns, end_ns) - Math.max(one.start_ns, start_ns));
  }
  return shared_ns;
}

/** Union of intervals, with those closer than `near_ns`: disjoint, by start. */
export function union(stretches: readonly TimeWindow[], near_ns = 0): TimeWindow[] {
  const covered: { start_ns: number; end_ns: number }[] = [];
  for (const { start_ns, end_ns } of [...stretches].sort((a, b) => a.start_ns - b.start_ns)) {
    const last = covered.at(-1);
    if (last === undefined || start_ns > last.end_ns + near_ns) covered.push({ start_ns, end_ns });
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
 * more than a third of it, and more than a second.
 */
export function axisOf(gaps: readonly Gap[], extent_ns: number, areShort?: boolean): TimeAxis {
  const isShort = areShort ?? (isMuch(gaps, extent_ns) && timeOf(gaps) > NOTICED_NS);
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
