/** Running, failed and counted spans of a session, updated span by span. */
import type { SpanRow } from '../../api/types.ts';
import type { TimeWindow } from '../timeline/time-scale.ts';
import { spanKey } from '../trace/span-key.ts';
import { endOffset } from '../trace/span-status.ts';

export class SessionTally {
  /** Errors by key, without duplicates. */
  readonly errors = new Map<string, SpanRow>();
  readonly running = new Map<string, SpanRow>();
  /** Incremented when a span begins or ends, not when a running one changes. */
  runningVersion = 0;
  private start_ns = Number.POSITIVE_INFINITY;
  private end_ns = Number.NEGATIVE_INFINITY;

  /** Take in a span, or its newer version. */
  put(span: SpanRow, key = spanKey(span)): void {
    keep(this.errors, key, span, span.status === 'error' && span.duplicate_of === null);
    const runs = span.status === 'running';
    if (this.running.has(key) !== runs) this.runningVersion += 1;
    keep(this.running, key, span, runs);
    this.start_ns = Math.min(this.start_ns, span.offset_ns);
    this.end_ns = Math.max(this.end_ns, endOffset(span, span.offset_ns));
  }

  /** Forget a span; the extent stays. */
  drop(key: string): void {
    this.errors.delete(key);
    if (this.running.delete(key)) this.runningVersion += 1;
  }

  /** Extent of all spans together, and whether one of them still grows. */
  extent(now_ns: number): TimeWindow & { readonly isRunning: boolean } {
    const isRunning = this.running.size > 0;
    if (this.end_ns < this.start_ns) return { start_ns: 0, end_ns: 0, isRunning };
    const end_ns = isRunning ? Math.max(this.end_ns, now_ns) : this.end_ns;
    return { start_ns: this.start_ns, end_ns, isRunning };
  }

  /** The errors by start: the order of `Next error`. */
  errorsByStart(): SpanRow[] {
    return [...this.errors.values()].sort(
      (a, b) => a.offset_ns - b.offset_ns || (a.span_id < b.span_id ? -1 : 1),
    );
  }
}

/**
 * Add or remove an entry. Most spans of a long session are in neither map: an empty one is skipped.
 */
function keep(map: Map<string, SpanRow>, key: string, span: SpanRow, isOne: boolean): void {
  if (isOne) map.set(key, span);
  else if (map.size > 0) map.delete(key);
}
