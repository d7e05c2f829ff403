/** Time that the rows in view cover: the aim of a zoom to them. */
import type { SpanRow } from '../../api/types.ts';
import { endOffset } from '../trace/span-status.ts';
import type { TimeWindow } from './time-scale.ts';

interface RowInView {
  readonly span: SpanRow;
  readonly depth: number;
}

/**
 * From the first beginning to the last end. A row with its children in view is left out: the work
 * is in them, and the root would make every such window the whole session.
 */
export function extentOfRows(rows: readonly RowInView[], now_ns: number): TimeWindow | undefined {
  const innermost = rows.filter(({ depth }, at) => (rows[at + 1]?.depth ?? 0) <= depth);
  if (innermost.length === 0) return undefined;
  return innermost.reduce(
    ({ start_ns, end_ns }, { span }) => ({
      start_ns: Math.min(start_ns, span.offset_ns),
      end_ns: Math.max(end_ns, endOffset(span, now_ns)),
    }),
    { start_ns: Number.POSITIVE_INFINITY, end_ns: Number.NEGATIVE_INFINITY },
  );
}
