/** Services of a session: where a span enters another one. */
import type { Session, SpanRow } from '../../api/types.ts';
import { parentKey } from './span-key.ts';

/** Whether a session is of several services, so that a span has to say of which it is. */
export function hasServices(session: Session | undefined): boolean {
  return session !== undefined && session.services.length > 1;
}

/** Whether a span is of another service than the span above it. */
export function entersService(
  span: SpanRow,
  rows: { get(key: string): SpanRow | undefined },
): boolean {
  return span.service !== null && rows.get(parentKey(span))?.service !== span.service;
}
