/**
 * Data of the minimap: work by kind, failures and waits over time.
 *
 * Only spans without descendants other than duplicates count: of those above them it only shows
 * where one of them runs alone.
 */
import type { SpanKind, SpanRow } from '../../api/types.ts';
import { endOffset } from '../trace/span-status.ts';
import type { TimeAxis } from './gaps.ts';
import type { Shape } from './session-shape.ts';
import { type TimeWindow, toX } from './time-scale.ts';

export interface Minimap {
  /** Kind → column → average number of spans at work in the column. */
  readonly kinds: ReadonlyMap<SpanKind, Float64Array>;
  /** Greatest sum of all kinds in a column. */
  readonly most: number;
  /** 1 in each column in which an error ended, or in which a person was waited for. */
  readonly errors: Uint8Array;
  readonly waits: Uint8Array;
  /** 1 in each column in which a span with others below it runs. */
  readonly frames: Uint8Array;
}

/** `extent`: range on the axis; `columns`: their number, one for each pixel. */
export function minimapOf(
  { leaves, frames }: Pick<Shape, 'leaves' | 'frames'>,
  errors: Iterable<SpanRow>,
  axis: TimeAxis,
  extent: TimeWindow,
  columns: number,
  now_ns: number,
): Minimap {
  const kinds = new Map<SpanKind, Float64Array>();
  const waits = new Uint8Array(columns);
  const x = (offset_ns: number) => toX(axis.placeOf(offset_ns), extent, columns);
  for (const span of leaves) {
    const counts = kinds.get(span.kind) ?? new Float64Array(columns);
    kinds.set(span.kind, counts);
    const end_ns = endOffset(span, now_ns);
    cover(counts, x(span.offset_ns), x(end_ns));
    for (const [offset_ns, length_ns] of span.waited) {
      const until = x(length_ns === null ? end_ns : Math.min(offset_ns + length_ns, end_ns));
      const [from, to] = [column(x(offset_ns), columns), column(until, columns)];
      if (until >= x(offset_ns)) waits.fill(1, from, to + 1);
    }
  }
  const framed = new Uint8Array(columns);
  for (const { start_ns, end_ns } of frames) {
    framed.fill(1, column(x(start_ns), columns), column(x(end_ns), columns) + 1);
  }
  const failed = new Uint8Array(columns);
  for (const span of errors) failed[column(x(endOffset(span, now_ns)), columns)] = 1;
  let most = 0;
  for (let at = 0; at < columns; at += 1) {
    let sum = 0;
    for (const counts of kinds.values()) sum += counts[at] ?? 0;
    most = Math.max(most, sum);
  }
  return { kinds, most, errors: failed, waits, frames: framed };
}

/** Add 1 to each column between two places, a fraction to those at the edges. */
function cover(counts: Float64Array, from: number, to: number): void {
  const [first, last] = [column(from, counts.length), column(to, counts.length)];
  const add = (at: number, value: number) => {
    counts[at] = (counts[at] ?? 0) + value;
  };
  if (first === last) {
    add(first, Math.max(to - from, 0));
    return;
  }
  add(first, first + 1 - from);
  for (let at = first + 1; at < last; at += 1) add(at, 1);
  add(last, to - last);
}

function column(x: number, columns: number): number {
  return Math.min(Math.max(Math.floor(x), 0), columns - 1);
}
