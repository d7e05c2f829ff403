/** Rows from columns, which are half of the bytes and read in half of the time. */
import type { SpanColumns, SpanRow, SpanSkeleton } from './types.ts';

/** The page with its rows made whole: the n-th entries of all columns are the n-th row. */
export function skeletonOf({ columns, ...page }: SpanColumns): SpanSkeleton {
  const entries = Object.entries(columns);
  const spans = columns.span_id.map((_, at) => {
    const row: Record<string, unknown> = {};
    for (const [name, column] of entries) row[name] = column[at];
    return row as SpanRow;
  });
  return { ...page, spans };
}
