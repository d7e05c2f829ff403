/** What a trace of services has: spans of any program, and where it enters another service. */
import type { SpanKind, SpanRow } from '../../api/types.ts';
import { parentKey } from './span-key.ts';

const PLAIN: ReadonlySet<SpanKind> = new Set(['database', 'messaging', 'http', 'other']);

/** Whether spans of a kind are what any program does, not what an agent does. */
export function isPlain(kind: SpanKind): boolean {
  return PLAIN.has(kind);
}

/** Whether a span is of another service than the span above it. */
export function entersService(
  span: SpanRow,
  rows: { get(key: string): SpanRow | undefined },
): boolean {
  return span.service !== null && rows.get(parentKey(span))?.service !== span.service;
}
