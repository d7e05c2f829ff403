/** Status of a span as shown to the reader. */
import type { SessionStatus, SpanRow, SpanStatus } from '../../api/types.ts';
import { parentKey, spanKey } from './span-key.ts';

const ENDED: ReadonlySet<SpanStatus> = new Set(['unset', 'ok', 'error', 'cancelled']);

export function hasEnded(status: SpanStatus): boolean {
  return ENDED.has(status);
}

/**
 * The newer of two versions of a row, whichever arrives first: a page and the stream may deliver
 * changes in any order, and more than once.
 */
export function newerRow<Row extends { readonly change: number }>(
  known: Row | undefined,
  incoming: Row,
): Row {
  return known !== undefined && known.change > incoming.change ? known : incoming;
}

/**
 * End of a span on the axis: now for a running one, never before its start. Of a lost one only the
 * beginning is known.
 */
export function endOffset(span: SpanRow, now_ns: number): number {
  if (span.duration_ns !== null) return span.offset_ns + span.duration_ns;
  return span.status === 'running' ? Math.max(span.offset_ns, now_ns) : span.offset_ns;
}

/** Least stall of a streamed answer that is marked; the service has the same. */
const LEAST_STALL_NS = 3e9;

/**
 * The longest stall of a streamed answer, if it is worth a mark; while the answer comes, the
 * present one.
 */
export function stallOf(
  span: SpanRow,
  now_ns: number,
): { readonly start_ns: number; readonly end_ns: number } | undefined {
  if (span.stall_start_ns === null) return undefined;
  const start_ns = span.offset_ns + span.stall_start_ns;
  const isPresent = span.stall_ns === null && span.status === 'running';
  const end_ns = isPresent ? now_ns : start_ns + (span.stall_ns ?? 0);
  return end_ns - start_ns > LEAST_STALL_NS ? { start_ns, end_ns } : undefined;
}

/** Start of the open wait for a person; undefined: nobody is waited for. */
export function waitsSince(span: SpanRow): number | undefined {
  const last = span.waited.at(-1);
  return span.status === 'running' && last?.[1] === null ? last[0] : undefined;
}

/** Self time: the duration without what its children cover, and without waiting. */
export function selfTime(span: SpanRow, children: readonly SpanRow[], now_ns: number): number {
  const end_ns = endOffset(span, now_ns);
  const waits = span.waited.map(
    ([from, length]) => [from, length === null ? end_ns : from + length] as const,
  );
  const parts = children
    .map((child) => [child.offset_ns, endOffset(child, now_ns)] as const)
    .concat(waits)
    .map(([from, to]) => [Math.max(from, span.offset_ns), Math.min(to, end_ns)] as const)
    .sort(([a], [b]) => a - b);
  let covered_ns = 0;
  let reached_ns = span.offset_ns;
  for (const [from, to] of parts) {
    covered_ns += Math.max(0, to - Math.max(from, reached_ns));
    reached_ns = Math.max(reached_ns, to);
  }
  return end_ns - span.offset_ns - covered_ns;
}

/** The errors, without duplicates. */
export function errorsOf(spans: Iterable<SpanRow>): SpanRow[] {
  return [...spans].filter((span) => span.status === 'error' && span.duplicate_of === null);
}

/**
 * The cause to read first as the rows tell it, while the session goes on: of the errors without an error
 * child one from which a root failed, else the one that ended first.
 */
export function firstCause(spans: Iterable<SpanRow>): SpanRow | undefined {
  const errors = errorsOf(spans);
  const parents = new Set(errors.map(parentKey));
  const byKey = new Map(errors.map((span) => [spanKey(span), span]));
  const innermost = errors.filter((span) => !parents.has(spanKey(span)));
  const fatal = innermost.filter((span) => reachedRoot(span, byKey));
  return (fatal.length > 0 ? fatal : innermost).reduce<SpanRow | undefined>(
    (first, span) =>
      first === undefined || endOffset(span, 0) < endOffset(first, 0) ? span : first,
    undefined,
  );
}

function reachedRoot(span: SpanRow, errors: ReadonlyMap<string, SpanRow>): boolean {
  let top = span;
  // Parents may go in circles.
  for (let steps = errors.size; steps > 0; steps--) {
    const above = errors.get(parentKey(top));
    if (above === undefined) break;
    top = above;
  }
  return top.parent_span_id === null;
}

const GOES_ON: ReadonlySet<SessionStatus> = new Set(['waiting', 'paused', 'running']);

/**
 * Whether a session opens at its cause, not at the root: a failed one, and in the waterfall also
 * one that recovered from its errors. A running one is watched where it runs.
 */
export function opensAtCause(status: SessionStatus, isWaterfall: boolean): boolean {
  return status === 'failed' || (isWaterfall && !goesOn(status));
}

/** Whether a session is not over. */
export function goesOn(status: SessionStatus): boolean {
  return GOES_ON.has(status);
}
