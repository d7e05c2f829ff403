/**
 * One thing that an agent does, from its beginning to its end: a span, what was decided about it,
 * and the ways to hold and cancel it.
 *
 * Nothing here throws into the agent but what was decided: what fails is a refusal at most.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

import type { Ending, Location } from '../control/control.js';
import type { Passenger, Release } from '../control/gate.js';
import { type Issuer, named } from '../control/protocol.js';
import { CancelledError, DeniedError } from '../errors.js';
import { warn } from '../log.js';
import type { Runtime } from '../runtime.js';
import { now } from '../telemetry/items.js';
import { isReadable } from '../telemetry/live-processor.js';
import { StreamedAnswer } from '../telemetry/streamed.js';
import { sessionId } from './session.js';

/** What an operation is. */
export interface Spec {
  readonly noun: 'tool_call' | 'llm_generate' | 'agent_call';
  /** For people: the name of the tool, the model or the agent. */
  readonly title: string;
  readonly spanName: string;
  readonly spanKind: SpanKind;
  readonly attributes: Attributes;
  /** Returns content of the span by key: of what goes in, and what comes out. */
  readonly input: (args: unknown) => Readonly<Record<string, unknown>>;
  readonly output: (result: unknown) => Readonly<Record<string, unknown>>;
  readonly toolName?: string | undefined;
  /** Whether a cancellation lasts until its body has ended, which is not left alone then. */
  readonly isScope: boolean;
  /** Whether the span of another instrumentation is of this operation already. */
  readonly isSpanOf: (span: ReadableSpan) => boolean;
}

/** What was decided, for the trace. */
export interface DecisionNote {
  readonly interceptor: string;
  readonly action: 'continue' | 'modify' | 'deny' | 'stop';
  readonly reason?: string | null | undefined;
  readonly actor?: string | undefined;
  readonly origin?: string | undefined;
  readonly microseconds?: number | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

const OPERATOR = 'operator';
const running = new AsyncLocalStorage<Operation>();
const adopted = new WeakSet<object>();

/** Return the operation that the calling code runs in. */
export function currentOperation(): Operation | undefined {
  return running.getStore();
}

/** A running operation. */
export class Operation implements Passenger {
  readonly spec: Spec;
  readonly isScope: boolean;
  readonly sessionId: string | undefined;
  readonly #runtime: Runtime;
  readonly #span: Span;
  readonly #isOwn: boolean;
  readonly #abort = new AbortController();
  readonly #leave: () => void;
  readonly #beganMs = performance.now();
  #streamed: StreamedAnswer | undefined;
  #cancelReason: string | undefined;
  readonly #truncated = new Set<string>();
  #hasEnded = false;

  constructor(runtime: Runtime, spec: Spec) {
    this.spec = spec;
    this.isScope = spec.isScope;
    this.sessionId = sessionId();
    this.#runtime = runtime;
    const active = trace.getActiveSpan();
    this.#isOwn = !(isReadable(active) && !adopted.has(active) && spec.isSpanOf(active));
    this.#span =
      this.#isOwn || active === undefined
        ? runtime.tracer().startSpan(spec.spanName, {
            kind: spec.spanKind,
            attributes: spec.attributes,
          })
        : active;
    adopted.add(this.#span);
    this.#leave = runtime.control?.gate.enter(this) ?? (() => {});
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get runId(): string | undefined {
    return this.sessionId === undefined ? this.#runtime.processor.runOf(this.traceId) : undefined;
  }

  get hook(): string {
    return `before_${this.spec.noun}`;
  }

  get location(): Location {
    const { traceId, spanId } = this.#span.spanContext();
    return { sessionId: this.sessionId, traceId, spanId };
  }

  /** Aborted when somebody cancels the session. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Run `body` as a part of the operation. */
  inside<T>(body: () => T): T {
    return running.run(this, () => context.with(trace.setSpan(context.active(), this.#span), body));
  }

  // --- the gate -------------------------------------------------------------------------------

  /**
   * Wait while the session is paused.
   *
   * @throws CancelledError It is being cancelled.
   */
  async pass(): Promise<void> {
    const passed = this.#runtime.control?.gate.pass(this) ?? true;
    const may = passed instanceof Promise ? await passed : passed;
    if (may === true) return;
    this.note({ interceptor: OPERATOR, action: 'deny', reason: may });
    throw new CancelledError(this.spec.title, may);
  }

  held(by: Issuer): (release: Release) => void {
    const id = `pause-${this.#span.spanContext().spanId}`;
    const { actor, origin } = by;
    this.#moment('inspector.request.opened', {
      'inspector.request.id': id,
      'inspector.request.kind': 'pause',
      'inspector.request.hook': this.hook,
      'inspector.request.prompt': this.#runtime.content.text(`paused by ${named(by)}`),
    });
    return ({ verb, reason }) => {
      this.#moment('inspector.request.closed', {
        'inspector.request.id': id,
        'inspector.request.status': verb === 'withdraw' ? 'withdrawn' : 'answered',
        'inspector.request.decision': verb,
        'inspector.request.reason': this.#runtime.content.label(reason),
      });
      const action = verb === 'cancel' ? 'deny' : 'continue';
      this.note({ interceptor: OPERATOR, action, reason, actor, origin });
    };
  }

  cancel(reason: string): void {
    if (this.#hasEnded) return;
    this.#cancelReason = reason;
    this.note({ interceptor: OPERATOR, action: 'deny', reason });
    this.#abort.abort(new CancelledError(this.spec.title, reason));
  }

  /** Wait for `work`, or until somebody cancels; code that does not look at `signal` goes on. */
  async race<T>(work: T | PromiseLike<T>): Promise<T> {
    if (this.isScope) return work;
    if (this.#abort.signal.aborted) {
      void Promise.resolve(work).catch(() => {});
      throw this.#abort.signal.reason;
    }
    let onAbort = () => {};
    const cancelled = new Promise<never>((_, reject) => {
      onAbort = () => reject(this.#abort.signal.reason);
      this.#abort.signal.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([work, cancelled]);
    } finally {
      this.#abort.signal.removeEventListener('abort', onAbort);
    }
  }

  // --- what is told ---------------------------------------------------------------------------

  /** Tell what goes in. */
  input(args: unknown): void {
    if (this.#isOwn) this.#quietly(() => this.#set(this.#content(this.spec.input(args))));
  }

  /** Tell attributes that are no content. */
  attributes(attributes: Attributes): void {
    if (this.#isOwn) this.#quietly(() => this.#set(attributes));
  }

  /** Report a chunk of a streamed answer: its text, which may be empty. */
  chunk(text: string): void {
    if (!this.#isOwn || this.#hasEnded) return;
    this.#streamed ??= new StreamedAnswer(this.#runtime.content, this.#beganMs, (attributes) =>
      this.#quietly(() => this.#runtime.processor.progress(this.#span, attributes)),
    );
    this.#streamed.add(text);
  }

  note(note: DecisionNote): void {
    const { content } = this.#runtime;
    this.#moment('inspector.decision', {
      'inspector.decision.hook': this.hook,
      'inspector.decision.interceptor': content.label(note.interceptor, 256),
      'inspector.decision.action': note.action,
      'inspector.decision.reason': note.reason ? content.label(note.reason) : undefined,
      'inspector.decision.microseconds': note.microseconds,
      'inspector.decision.actor': note.actor,
      'inspector.decision.origin': note.origin,
      'inspector.decision.before': content.json(note.before)?.text,
      'inspector.decision.after': content.json(note.after)?.text,
    });
  }

  requestOpened(id: string, kind: string, prompt: string, more: Attributes): void {
    this.#moment('inspector.request.opened', {
      'inspector.request.id': id,
      'inspector.request.kind': kind,
      'inspector.request.prompt': this.#runtime.content.text(prompt),
      ...more,
    });
  }

  requestClosed(id: string, ending: Ending): void {
    const { reason, actor, origin } = ending;
    this.#moment('inspector.request.closed', {
      'inspector.request.id': id,
      'inspector.request.status': ending.status,
      'inspector.request.decision': ending.decision,
      'inspector.request.reason': reason ? this.#runtime.content.label(reason) : undefined,
      'inspector.request.actor': actor,
      'inspector.request.origin': origin,
    });
  }

  /** It has ended well. */
  finish(result: unknown): void {
    this.#end(() => this.#set(this.#content(this.spec.output(result))));
  }

  /** Who read its result, piece by piece, has stopped early. */
  abandon(result: unknown): void {
    this.#end(() => {
      this.#set(this.#content(this.spec.output(result)));
      this.#span.setAttributes({ 'error.type': 'cancelled', 'inspector.cancelled': true });
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: 'it was left before its end' });
    });
  }

  /** It has failed, was denied or cancelled. */
  fail(error: unknown): void {
    this.#end(() => {
      const isCancelled = error instanceof CancelledError || this.#cancelReason !== undefined;
      const isDenied = error instanceof DeniedError;
      const name = error instanceof Error ? error.name : typeof error;
      const message = this.#runtime.content.label(error instanceof Error ? error.message : name);
      this.#span.setAttribute('error.type', isCancelled ? 'cancelled' : isDenied ? 'denied' : name);
      if (isCancelled) this.#span.setAttribute('inspector.cancelled', true);
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
      if (isCancelled || isDenied) return;
      const stack = error instanceof Error ? error.stack : undefined;
      this.#span.addEvent('exception', {
        'exception.type': name,
        'exception.message': message,
        ...(stack ? { 'exception.stacktrace': this.#runtime.content.label(stack, 8_000) } : {}),
      });
    });
  }

  #end(describe: () => void): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#leave();
    if (!this.#isOwn) return;
    const streamed = this.#streamed?.end() ?? {};
    this.#quietly(() => this.#span.setAttributes(streamed));
    this.#quietly(describe);
    this.#quietly(() => this.#span.end());
  }

  #set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
    if (!this.#hasEnded) this.#runtime.processor.progress(this.#span, attributes);
  }

  #content(values: Readonly<Record<string, unknown>>): Attributes {
    const attributes: Attributes = {};
    for (const [key, value] of Object.entries(values)) {
      const content = this.#runtime.content.json(value);
      if (content === undefined) continue;
      attributes[key] = content.text;
      if (content.isTruncated) this.#truncated.add(key);
    }
    if (this.#truncated.size > 0) attributes['inspector.truncated'] = [...this.#truncated];
    return attributes;
  }

  /** Tell what happened on the span: a record, and an event of the same time. */
  #moment(name: string, attributes: Attributes): void {
    this.#quietly(() => {
      const known = Object.fromEntries(
        Object.entries(attributes).filter(([, value]) => value !== undefined),
      );
      const time = now();
      this.#span.addEvent(name, known, time);
      this.#runtime.processor.moment(name, time, this.#span, known);
    });
  }

  #quietly(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      warn('telemetry', `Cannot report ${this.spec.title}: ${error}`);
    }
  }
}
