/** What is sent: live records and ended spans. */

import type { Attributes, HrTime, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

import type { Resource } from './identity.js';

export const STARTED = 'inspector.span.started';
export const PROGRESS = 'inspector.span.progress';
export const HEARTBEAT = 'inspector.process.heartbeat';
export const SPAN_NAME = 'inspector.span.name';

const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** A log record before it is encoded. */
export interface LiveRecord {
  readonly name: string;
  readonly time: HrTime;
  readonly spanContext: SpanContext | undefined;
  readonly attributes: Attributes;
  readonly resource: Resource;
  /** The span of a `STARTED` or `PROGRESS` record, which is not sent once the span has ended. */
  readonly span?: ReadableSpan;
}

export type Item =
  | { readonly record: LiveRecord; readonly span?: never }
  | { readonly span: ReadableSpan; readonly record?: never };

/** Return the attributes that say which span a record is about. */
export function identityOf(span: ReadableSpan): Attributes {
  const parent = span.parentSpanContext;
  const scope = span.instrumentationScope;
  return {
    [SPAN_NAME]: span.name,
    'inspector.span.kind': span.kind + 1, // OTLP counts from "unspecified"
    'inspector.span.flags': flagsOf(parent),
    'inspector.span.scope_name': scope.name,
    'inspector.span.scope_version': scope.version ?? '',
    ...(parent ? { 'inspector.span.parent_span_id': parent.spanId } : {}),
  };
}

/** Return OTLP's `Span.flags`, but for those of the trace. */
export function flagsOf(parent: SpanContext | undefined): number {
  return HAS_IS_REMOTE | (parent?.isRemote ? IS_REMOTE : 0);
}

/** Return the time now, as OpenTelemetry writes it. */
export function now(): HrTime {
  const millis = performance.timeOrigin + performance.now();
  const seconds = Math.floor(millis / 1_000);
  return [seconds, Math.round((millis - seconds * 1_000) * 1e6)];
}
