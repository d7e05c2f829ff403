/**
 * The span processor that tells the service of every span as soon as it starts.
 *
 * OTLP sends a span when it has ended. This one reports every sampled span of its provider, of any
 * instrumentation.
 */

import type { Span as ApiSpan, Attributes, Context, HrTime } from '@opentelemetry/api';
import { TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace-node';

import type { Delivery } from './delivery.js';
import type { ProcessIdentity } from './identity.js';
import { now, PROGRESS, STARTED } from './items.js';
import { type ProcessSession, RUN_ID } from './process-session.js';

const EXIT_MS = 900;

/** Hands starts, progress, moments and ends to one delivery, in the order they happened. */
export class LiveSpanProcessor implements SpanProcessor {
  readonly #delivery: Delivery;
  readonly #identity: ProcessIdentity;
  readonly #inherited: () => Attributes;
  readonly #processSession: ProcessSession | undefined;
  #isStopped = false;

  /**
   * @param inherited Returns the attributes of the current session.
   * @param processSession The session of what begins a trace and names none.
   */
  constructor(
    delivery: Delivery,
    identity: ProcessIdentity,
    inherited: () => Attributes,
    processSession?: ProcessSession,
  ) {
    this.#processSession = processSession;
    this.#delivery = delivery;
    this.#identity = identity;
    this.#inherited = inherited;
  }

  onStart(span: Span, _parent: Context): void {
    if (this.#isStopped || !isSampled(span)) return;
    this.#identity.adopt(span.resource);
    for (const [key, value] of Object.entries(this.#inherited())) {
      if (value !== undefined && span.attributes[key] === undefined) span.setAttribute(key, value);
    }
    const runId = this.#processSession?.idOf(span);
    if (runId !== undefined) span.setAttribute(RUN_ID, runId);
    this.#delivery.start();
    this.#put(STARTED, span.startTime, span, { ...span.attributes });
  }

  onEnd(span: ReadableSpan): void {
    if (!this.#isStopped && isSampled(span)) this.#delivery.put({ span });
  }

  /** Return the session of the process, if a trace is of it. */
  runOf(traceId: string): string | undefined {
    return this.#processSession?.ofTrace(traceId);
  }

  /** Tell new attributes of a running span. */
  progress(span: ApiSpan, attributes: Attributes): void {
    if (this.#isStopped || !isReadable(span) || !isSampled(span)) return;
    this.#put(PROGRESS, now(), span, attributes);
  }

  /** Tell what happened on a span, or on none; on an unsampled one nothing is shown. */
  moment(name: string, time: HrTime, span: ApiSpan | undefined, attributes: Attributes): void {
    const spanContext = span?.spanContext();
    if (this.#isStopped || (spanContext && !isSampled(spanContext))) return;
    const { resource } = isReadable(span) ? span : this.#identity;
    this.#delivery.put({ record: { name, time, spanContext, attributes, resource } });
  }

  /** Send what is left, but do not wait for a service that is away: frameworks call this often. */
  async forceFlush(): Promise<void> {
    await this.#delivery.flush(EXIT_MS, false);
  }

  /** Send what is left, for at most a second, and take no more. */
  async shutdown(): Promise<void> {
    this.#isStopped = true;
    await this.#delivery.close(EXIT_MS);
  }

  #put(name: string, time: HrTime, span: ReadableSpan, attributes: Attributes): void {
    const { resource } = span;
    const record = { name, time, spanContext: span.spanContext(), attributes, resource, span };
    this.#delivery.put({ record });
  }
}

/** Return whether an SDK made the span, so that it can be read. */
export function isReadable(span: ApiSpan | undefined): span is ApiSpan & ReadableSpan {
  return span !== undefined && 'instrumentationScope' in span && 'resource' in span;
}

function isSampled(span: ReadableSpan | { traceFlags: number }): boolean {
  const flags = 'traceFlags' in span ? span.traceFlags : span.spanContext().traceFlags;
  return (flags & TraceFlags.SAMPLED) !== 0;
}
