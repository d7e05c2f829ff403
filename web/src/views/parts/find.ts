/** Text of a span that the find field of a session searches. */
import type { SpanRow } from '../../api/types.ts';

export function matchesFind(span: SpanRow, text: string): boolean {
  const wanted = text.toLowerCase();
  return (
    span.name.toLowerCase().includes(wanted) ||
    span.kind === wanted ||
    span.status === wanted ||
    (span.model?.toLowerCase().includes(wanted) ?? false) ||
    span.span_id === wanted
  );
}
