/** Relatives of a span: failed ones above and below it, and duplicates; its self time. */
import type { SpanRow } from '../../api/types.ts';
import { spanKey } from './span-key.ts';

interface Rows {
  get(key: string): SpanRow | undefined;
  values(): Iterable<SpanRow>;
}

/** Limit of a chain; a longer one is cut after its beginning. */
const MAX_ABOVE = 64;

/** The failed spans above a failed one, the nearest first. */
export function failedAbove(rows: Rows, row: SpanRow): SpanRow[] {
  const above: SpanRow[] = [];
  const seen = new Set([spanKey(row)]);
  let at = parentOf(rows, row);
  while (at?.status === 'error' && above.length < MAX_ABOVE && !seen.has(spanKey(at))) {
    seen.add(spanKey(at));
    above.push(at);
    at = parentOf(rows, at);
  }
  return above;
}

/** Failed spans directly below: the reason why a span failed. */
export function failedBelow(rows: Rows, row: SpanRow): SpanRow[] {
  const below: SpanRow[] = [];
  for (const other of rows.values()) {
    if (other.status === 'error' && isParent(row, other)) below.push(other);
  }
  return below.sort((a, b) => a.offset_ns - b.offset_ns);
}

/** Spans that report the same operation. */
export function duplicatesOf(rows: Rows, row: SpanRow): SpanRow[] {
  const duplicates: SpanRow[] = [];
  for (const other of rows.values()) {
    if (other.trace_id !== row.trace_id || other === row) continue;
    if (other.duplicate_of === row.span_id || row.duplicate_of === other.span_id)
      duplicates.push(other);
  }
  return duplicates;
}

/**
 * Self time of a span, without what is below it and without waiting, ns; undefined while it or
 * something below it runs.
 */
export function selfTime_ns(rows: Rows, row: SpanRow): number | undefined {
  if (row.duration_ns === null) return undefined;
  const end = row.offset_ns + row.duration_ns;
  const busy: [number, number][] = [];
  for (const [offset, duration] of row.waited as readonly (readonly [number, number | null])[]) {
    busy.push([offset, duration === null ? end : offset + duration]);
  }
  for (const other of rows.values()) {
    if (!isParent(row, other)) continue;
    if (other.duration_ns === null) return undefined;
    busy.push([other.offset_ns, other.offset_ns + other.duration_ns]);
  }
  busy.sort((a, b) => a[0] - b[0]);
  let own = row.duration_ns;
  let covered = row.offset_ns;
  for (const [from, to] of busy) {
    const start = Math.max(from, covered);
    const stop = Math.min(to, end);
    if (stop <= start) continue;
    own -= stop - start;
    covered = stop;
  }
  return own;
}

function parentOf(rows: Rows, row: SpanRow): SpanRow | undefined {
  return row.parent_span_id === null
    ? undefined
    : rows.get(`${row.trace_id}.${row.parent_span_id}`);
}

function isParent(row: SpanRow, other: SpanRow): boolean {
  return other.parent_span_id === row.span_id && other.trace_id === row.trace_id;
}
