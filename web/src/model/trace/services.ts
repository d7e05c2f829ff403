/** Where a trace enters another service. */
import type { SpanRow } from '../../api/types.ts';
import { parentKey } from './span-key.ts';

/** Whether a span is of another service than the span above it. */
export function entersService(
  span: SpanRow,
  rows: { get(key: string): SpanRow | undefined },
): boolean {
  return span.service !== null && rows.get(parentKey(span))?.service !== span.service;
}
