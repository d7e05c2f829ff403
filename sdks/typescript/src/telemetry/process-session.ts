/**
 * The session of spans that begin a trace and name none: that of the script, if it is asked for.
 *
 * A script that calls a model twice has done one thing, which is two traces. A process that serves
 * does something else for each request, so there each trace is a session of its own.
 */

import { randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

export const RUN_ID = 'inspector.run.id';
const MAX_TRACES = 256;
const SERVING = [SpanKind.SERVER, SpanKind.CONSUMER];

/** Decides which spans are of the session of this process. */
export class ProcessSession {
  readonly #id = `run-${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  /** The session of each of the last traces that began here. */
  readonly #traces = new Map<string, string | undefined>();
  #isServing = false;

  /** Return the session of a span that starts; undefined: it is decided otherwise. */
  idOf(span: ReadableSpan): string | undefined {
    const { traceId } = span.spanContext();
    const parent = span.parentSpanContext;
    const isRemote = parent?.isRemote === true && !this.#traces.has(traceId);
    if (parent !== undefined && !isRemote) return undefined;
    const isMcp = span.kind === SpanKind.SERVER && 'mcp.method.name' in span.attributes;
    if (!isMcp) this.#isServing ||= isRemote || SERVING.includes(span.kind);
    const found = this.#isServing || isMcp ? undefined : this.#id;
    const [oldest] = this.#traces.keys();
    if (this.#traces.size >= MAX_TRACES && oldest !== undefined) this.#traces.delete(oldest);
    this.#traces.set(traceId, found);
    return found;
  }

  /** Return the session of a trace that began here. */
  ofTrace(traceId: string): string | undefined {
    return this.#traces.get(traceId);
  }
}
