/** OTLP in JSON: live records and spans as the bodies of `/v1/logs` and `/v1/traces`. Pure. */

import type { HrTime, Link } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

import type { ProcessIdentity, Resource } from './identity.js';
import { flagsOf, identityOf, type LiveRecord } from './items.js';

type Json = Record<string, unknown>;

const LIVE_SCOPE = { name: 'inspector.live' };

/** Return the body of `/v1/logs`. */
export function logsBody(records: readonly LiveRecord[], identity: ProcessIdentity): string {
  const resourceLogs = grouped(records, (record) => identity.complete(record.resource)).map(
    ([resource, members]) => ({
      resource: resourceOf(resource),
      scopeLogs: [{ scope: LIVE_SCOPE, logRecords: members.map(logRecord) }],
    }),
  );
  return JSON.stringify({ resourceLogs });
}

/** Return the body of `/v1/traces`. */
export function tracesBody(spans: readonly ReadableSpan[], identity: ProcessIdentity): string {
  const resourceSpans = grouped(spans, (span) => identity.complete(span.resource)).map(
    ([resource, members]) => ({
      resource: resourceOf(resource),
      scopeSpans: grouped(members, (span) => span.instrumentationScope).map(([scope, its]) => ({
        scope: { name: scope.name, version: scope.version ?? '' },
        schemaUrl: scope.schemaUrl,
        spans: its.map(spanOf),
      })),
    }),
  );
  return JSON.stringify({ resourceSpans });
}

function grouped<T, K>(members: readonly T[], keyOf: (member: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return [...groups];
}

function resourceOf(resource: Resource): Json {
  return { attributes: keyValues(resource.attributes) };
}

function logRecord(record: LiveRecord): Json {
  const context = record.spanContext;
  const identity = record.span ? identityOf(record.span) : {};
  return {
    timeUnixNano: nanoseconds(record.time),
    observedTimeUnixNano: nanoseconds(record.time),
    eventName: record.name,
    attributes: keyValues({ ...identity, ...record.attributes }),
    ...(context
      ? { traceId: context.traceId, spanId: context.spanId, flags: context.traceFlags }
      : {}),
  };
}

function spanOf(span: ReadableSpan): Json {
  const context = span.spanContext();
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    traceState: context.traceState?.serialize(),
    parentSpanId: span.parentSpanContext?.spanId,
    flags: context.traceFlags | flagsOf(span.parentSpanContext),
    name: span.name,
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: keyValues(span.attributes),
    droppedAttributesCount: span.droppedAttributesCount,
    events: span.events.map((event) => ({
      timeUnixNano: nanoseconds(event.time),
      name: event.name,
      attributes: keyValues(event.attributes ?? {}),
      droppedAttributesCount: event.droppedAttributesCount ?? 0,
    })),
    droppedEventsCount: span.droppedEventsCount,
    links: span.links.map(linkOf),
    droppedLinksCount: span.droppedLinksCount,
    status: { code: span.status.code, message: span.status.message },
  };
}

function linkOf(link: Link & { droppedAttributesCount?: number }): Json {
  return {
    traceId: link.context.traceId,
    spanId: link.context.spanId,
    traceState: link.context.traceState?.serialize(),
    flags: link.context.traceFlags | flagsOf(link.context),
    attributes: keyValues(link.attributes ?? {}),
    droppedAttributesCount: link.droppedAttributesCount ?? 0,
  };
}

function nanoseconds([seconds, nanos]: HrTime): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(nanos));
}

function keyValues(attributes: Readonly<Record<string, unknown>>): Json[] {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): Json {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return numberValue(value);
    case 'bigint':
      return BigInt.asIntN(64, value) === value
        ? { intValue: String(value) }
        : { stringValue: String(value) };
    case 'object':
      break;
    default:
      return {};
  }
  if (value === null) return {};
  if (value instanceof Uint8Array) {
    return { bytesValue: Buffer.from(value).toString('base64') };
  }
  return Array.isArray(value)
    ? { arrayValue: { values: value.map(anyValue) } }
    : { kvlistValue: { values: keyValues(value as Record<string, unknown>) } };
}

function numberValue(value: number): Json {
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  // JSON has no NaN and no infinity: OTLP writes their names.
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}
