/**
 * A session at an instant: each span by its start and end.
 *
 * A row changes at the moments of its span alone: its start and end, those of its waits, and of its
 * longest stall. `Moments` has those of all spans by time, so that going from one instant to
 * another costs two binary searches and the rows in between, however many spans there are.
 *
 * The service makes the same of columns (`inspector/service/analysis/instant.py`); tests of both read
 * one table of cases (`tests/golden/instants.json`).
 */
import type { SpanRow } from '../../api/types.ts';
import { atOnce, eachPlace, type Steps, sortSteps } from '../slices.ts';

/**
 * A span as it was at an instant; undefined: it had not begun. One that had not ended runs, without
 * what came with its end. What has no time of its own is as it ended: so is a lost span but for
 * its waits, because only its beginning is known.
 */
export function rowAt(row: SpanRow, at_ns: number): SpanRow | undefined {
  if (row.offset_ns > at_ns) return undefined;
  const isOpen = row.duration_ns === null;
  if (!isOpen && endOf(row) <= at_ns) return row;
  const changes = { ...waitsAt(row, at_ns), ...stallAt(row, at_ns) };
  if (isOpen) return Object.keys(changes).length === 0 ? row : { ...row, ...changes };
  return {
    ...row,
    ...changes,
    status: 'running',
    duration_ns: null,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
  };
}

/** The waits that had begun, if they are others than all; one that was not over is open. */
function waitsAt({ waited }: SpanRow, at_ns: number): Partial<SpanRow> {
  const isThen = waited.every(
    ([from_ns, length_ns]) =>
      from_ns <= at_ns && (length_ns === null || from_ns + length_ns <= at_ns),
  );
  if (isThen) return {};
  const then = waited
    .filter(([from_ns]) => from_ns <= at_ns)
    .map(([from_ns, length_ns]): [number, number | null] =>
      length_ns !== null && from_ns + length_ns <= at_ns ? [from_ns, length_ns] : [from_ns, null],
    );
  const wait_ns = then.reduce((sum, [, length_ns]) => sum + (length_ns ?? 0), 0);
  return { waited: then, waits: then.length, wait_ns };
}

/** The stall, if it had not begun, or was not over. */
function stallAt(row: SpanRow, at_ns: number): Partial<SpanRow> {
  if (row.stall_start_ns === null) return {};
  const start_ns = row.offset_ns + row.stall_start_ns;
  if (start_ns > at_ns) return { stall_start_ns: null, stall_ns: null };
  return row.stall_ns !== null && start_ns + row.stall_ns > at_ns ? { stall_ns: null } : {};
}

function endOf({ offset_ns, duration_ns }: SpanRow): number {
  return offset_ns + (duration_ns ?? 0);
}

/** The moments of a span, in no order. */
function momentsOf(row: SpanRow): number[] {
  const found = [row.offset_ns];
  if (row.duration_ns !== null) found.push(endOf(row));
  for (const [from_ns, length_ns] of row.waited) {
    found.push(from_ns);
    if (length_ns !== null) found.push(from_ns + length_ns);
  }
  if (row.stall_start_ns !== null) {
    found.push(row.offset_ns + row.stall_start_ns);
    if (row.stall_ns !== null) found.push(row.offset_ns + row.stall_start_ns + row.stall_ns);
  }
  return found;
}

type Spans = readonly (readonly [key: string, row: SpanRow])[];

/** A time at which the row of this index changes. */
interface Moment {
  readonly at_ns: number;
  readonly index: number;
}

export class Moments {
  /** All spans by start: those that have begun at an instant come before all others. */
  readonly rows: readonly SpanRow[];
  readonly keys: readonly string[];
  private readonly starts_ns: Float64Array;
  /** The moments by time, and the index of the row of each. */
  private readonly times_ns: Float64Array;
  private readonly changed: Uint32Array;

  private constructor(spans: Spans, starts_ns: Float64Array, moments: readonly Moment[]) {
    this.rows = spans.map(([, row]) => row);
    this.keys = spans.map(([key]) => key);
    this.starts_ns = starts_ns;
    this.times_ns = Float64Array.from(moments, ({ at_ns }) => at_ns);
    this.changed = Uint32Array.from(moments, ({ index }) => index);
  }

  /**
   * Read all spans, in steps.
   *
   * `spans`: by key, which is not made anew: it would be hashed anew wherever it is looked up.
   */
  static *steps(spans: Spans): Steps<Moments> {
    const byStart = yield* sortSteps(
      spans,
      ([, a], [, b]) => a.offset_ns - b.offset_ns || (a.span_id < b.span_id ? -1 : 1),
    );
    const moments: Moment[] = [];
    yield* eachPlace(byStart.length, (index) => {
      const row = byStart[index]?.[1];
      if (row !== undefined) for (const at_ns of momentsOf(row)) moments.push({ at_ns, index });
    });
    const byTime = yield* sortSteps(moments, (a, b) => a.at_ns - b.at_ns);
    const starts_ns = Float64Array.from(byStart, ([, { offset_ns }]) => offset_ns);
    return new Moments(byStart, starts_ns, byTime);
  }

  static of(spans: Spans): Moments {
    return atOnce(Moments.steps(spans));
  }

  /** Number of the rows that have begun. */
  begunAt(at_ns: number): number {
    return countUpTo(this.starts_ns, at_ns);
  }

  /** Indexes of the rows that may differ between two instants, whichever is the earlier. */
  changedBetween(one_ns: number, other_ns: number): ReadonlySet<number> {
    const from = countUpTo(this.times_ns, Math.min(one_ns, other_ns));
    const until = countUpTo(this.times_ns, Math.max(one_ns, other_ns));
    return new Set(this.changed.subarray(from, until));
  }

  /** The first moment after an instant. */
  after(at_ns: number): number | undefined {
    return this.times_ns[countUpTo(this.times_ns, at_ns)];
  }

  /** The last moment before an instant. */
  before(at_ns: number): number | undefined {
    let place = countUpTo(this.times_ns, at_ns) - 1;
    while ((this.times_ns[place] ?? Number.NEGATIVE_INFINITY) >= at_ns) place -= 1;
    return this.times_ns[place];
  }
}

/** Number of sorted values that are at most `limit`. */
function countUpTo(sorted: Float64Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
