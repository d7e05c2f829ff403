/** Control of one process by people: what is asked, what they answer, and what they hold and end. */

import { randomUUID } from 'node:crypto';

import { type Signal, signals } from '../operations/signals.js';
import type { Address } from '../service/address.js';
import { CHANGED, judge } from './answer-check.js';
import type { ArgumentsView } from './arguments.js';
import { Channel } from './channel.js';
import { BadJsonError, parsed } from './exact-json.js';
import { Gate } from './gate.js';
import {
  type Command,
  type OpenRequest,
  type Outcome,
  type ReceivedAnswer,
  type RequestKind,
  type RequestStatus,
  sendable,
} from './protocol.js';
import { RequestTable } from './request-table.js';

const MAX_PROMPT_CHARS = 64 * 1024;
const MAX_NAME_CHARS = 200;
const MAX_TOOL_NAME_CHARS = 500;
const MAX_SESSION_CHARS = 256;
const MAX_OPTIONS = 50;
const MAX_FORM_CHARS = 2 ** 20;
const MAX_PAYLOAD_BYTES = 2 ** 20;
const MAX_ALLOWANCES = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Something to ask a person. */
export interface Question {
  readonly kind: RequestKind;
  readonly prompt: string;
  /** The decision if nobody answers in time. */
  readonly default: string;
  readonly timeoutMs: number;
  readonly view: ArgumentsView;
  /** Returns the arguments as they are now. */
  readonly args: () => unknown;
  readonly location: Location;
  readonly hook?: string | undefined;
  readonly toolName?: string | undefined;
  /** Who asks: "allow always" holds for the same one. */
  readonly asker?: { readonly name: string; readonly key: object } | undefined;
  readonly form?: object | undefined;
  readonly options?: readonly string[] | undefined;
  readonly signalName?: string | undefined;
  /** Ends it by a refusal. */
  readonly signal?: AbortSignal | undefined;
}

/** Where on the trace, and in which session. */
export interface Location {
  readonly sessionId: string | undefined;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
}

/** How a request ended. */
export interface Ending {
  readonly status: RequestStatus;
  readonly decision: string;
  readonly reason: string | null;
  readonly actor?: string;
  readonly origin?: string;
  /** The arguments to run with, of an `allow`. */
  readonly args?: unknown;
  readonly payload?: unknown;
}

/** What is told of a request on the trace. */
export interface Watcher {
  opened(id: string): void;
  closed(id: string, ending: Ending): void;
}

/** Asks people, and does what they want. */
export class Control {
  readonly gate = new Gate();
  readonly channel: Channel;
  readonly #requests = new RequestTable();
  readonly #keepsArgs: boolean;
  readonly #allowances = new Map<string, Map<object, ReceivedAnswer>>();
  readonly #open = new Set<(ending: Ending) => void>();

  /**
   * @param keepsArgs Whether arguments stay readable in a closed request.
   */
  constructor(
    find: () => Address | undefined,
    process: () => { readonly id: string; readonly service: string },
    keepsArgs: boolean,
  ) {
    this.#keepsArgs = keepsArgs;
    this.channel = new Channel({
      find,
      process,
      requests: this.#requests,
      handle: (command) => this.#handle(command),
      onLongAway: (why) => this.gate.releaseAll(why),
    });
  }

  /** Ask a person; the promise never rejects, and what fails is a refusal. */
  ask(question: Question, watcher: Watcher): Promise<Ending> {
    const scope = scopeOf(question);
    const allowed = this.#allowance(scope, question);
    if (allowed !== undefined) return Promise.resolve(allowed);
    return new Promise((resolve) => {
      const id = randomUUID();
      const deadline = performance.now() + question.timeoutMs;
      let isOver = false;
      const end = (ending: Ending) => {
        if (isOver) return;
        isOver = true;
        stop();
        question.signal?.removeEventListener('abort', onAbort);
        this.#open.delete(end);
        this.#requests.close(id, ending.status, ending.decision, ending.reason);
        watcher.closed(id, ending);
        resolve(ending);
      };
      const onAbort = () =>
        end(refusal(question, 'withdrawn', reasonOf(question.signal) ?? 'it was cancelled'));
      const stop = after(deadline, () =>
        end({ status: 'expired', decision: question.default, reason: 'nobody answered in time' }),
      );
      this.#open.add(end);
      try {
        const request = openRequest(id, question, scope !== undefined, this.#keepsArgs);
        this.#requests.open(request, question.timeoutMs, (answer) => {
          if (isOver) return { applied: false, reason: 'the request is closed' };
          if (performance.now() >= deadline) {
            return { applied: false, reason: 'the request has timed out' };
          }
          return this.#answered(question, scope, answer, end);
        });
        watcher.opened(id);
      } catch (error) {
        isOver = true;
        stop();
        this.#open.delete(end);
        resolve(refusal(question, 'withdrawn', (error as Error).message));
        return;
      }
      question.signal?.addEventListener('abort', onAbort);
      if (question.signal?.aborted) onAbort();
    });
  }

  /** Refuse what waits, let go what is held, and say goodbye. */
  async close(): Promise<void> {
    this.gate.releaseAll('the process detached from the Inspector service');
    for (const end of [...this.#open]) {
      end({
        status: 'withdrawn',
        decision: 'deny',
        reason: 'the process detached from the Inspector service',
      });
    }
    await this.channel.close();
  }

  #answered(
    question: Question,
    scope: string | undefined,
    answer: ReceivedAnswer,
    end: (ending: Ending) => void,
  ): Outcome {
    const { kind, view, args, form } = question;
    const verdict = judge({ kind, view, args, form, canAlways: scope !== undefined }, answer);
    if (verdict.kind === 'refused') return { applied: false, reason: verdict.reason };
    if (verdict.kind === 'changed') {
      end(refusal(question, 'withdrawn', CHANGED));
      return { applied: false, reason: CHANGED };
    }
    const { decision, reason, actor, origin } = answer;
    if (decision === 'allow_always' && scope !== undefined) this.#allow(scope, question, answer);
    const { args: newArgs, payload } = verdict;
    end({ status: 'answered', decision, reason, actor, origin, args: newArgs, payload });
    return { applied: true, reason: null };
  }

  #allow(scope: string, question: Question, answer: ReceivedAnswer): void {
    if (question.asker === undefined) return;
    const known = this.#allowances.get(scope) ?? new Map<object, ReceivedAnswer>();
    known.set(question.asker.key, answer);
    this.#allowances.delete(scope);
    this.#allowances.set(scope, known);
    const [oldest] = this.#allowances.keys();
    if (this.#allowances.size > MAX_ALLOWANCES && oldest) this.#allowances.delete(oldest);
  }

  #allowance(scope: string | undefined, question: Question): Ending | undefined {
    const { asker } = question;
    const found = asker && this.#allowances.get(scope ?? '')?.get(asker.key);
    if (found === undefined) return undefined;
    const reason = `always allowed by ${found.actor}`;
    const { actor } = found;
    return {
      status: 'answered',
      decision: 'allow',
      reason,
      actor,
      origin: 'agent',
      args: question.args(),
    };
  }

  #handle(command: Command): Outcome {
    switch (command.type) {
      case 'answer':
        return command.answer === undefined
          ? { applied: false, reason: 'answer is missing' }
          : this.#requests.answer(command.answer);
      case 'signal':
        return deliver(command);
      case 'pause':
      case 'resume':
      case 'step':
      case 'cancel':
        if (!command.sessionId) return { applied: false, reason: 'session_id is missing' };
        return this.gate[command.type](command, command);
      default:
        return {
          applied: false,
          reason: `this agent does not support '${command.type.slice(0, 80)}'`,
        };
    }
  }
}

function deliver(command: Command): Outcome {
  if (command.signalName === null) return { applied: false, reason: 'signal_name is missing' };
  let payload: unknown;
  try {
    const text = command.payloadJson;
    payload = text === null ? undefined : parsed(text, MAX_PAYLOAD_BYTES);
  } catch (error) {
    if (!(error instanceof BadJsonError)) throw error;
    return { applied: false, reason: `the payload is invalid: ${error.message}` };
  }
  const { sessionId, signalName: name, actor, origin, reason } = command;
  const signal: Signal = {
    sessionId: sessionId || undefined,
    name,
    payload,
    actor,
    origin,
    reason,
  };
  return signals.send(signal);
}

/** Return what "allow always" is for: a session, or a trace without one. */
function scopeOf({ kind, asker, location }: Question): string | undefined {
  if (kind !== 'approval' || asker === undefined) return undefined;
  if (location.sessionId) return `session ${location.sessionId}`;
  return location.traceId && `trace ${location.traceId}`;
}

function refusal(question: Question, status: RequestStatus, reason: string): Ending {
  return { status, decision: question.kind === 'question' ? 'cancel' : 'deny', reason };
}

function reasonOf(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : undefined;
}

function openRequest(
  id: string,
  question: Question,
  canAlways: boolean,
  keepsArgs: boolean,
): OpenRequest {
  const { view, location } = question;
  return {
    id,
    session_id: text(location.sessionId, MAX_SESSION_CHARS),
    trace_id: location.traceId ?? null,
    span_id: location.spanId ?? null,
    kind: question.kind,
    hook: text(question.hook, MAX_NAME_CHARS),
    interceptor: text(question.asker?.name, MAX_NAME_CHARS),
    tool_name: text(question.toolName, MAX_TOOL_NAME_CHARS),
    prompt: sendable(question.prompt, MAX_PROMPT_CHARS),
    options: (question.options ?? [])
      .slice(0, MAX_OPTIONS)
      .map((option) => sendable(String(option), MAX_NAME_CHARS)),
    args_json: view.json,
    args_text: view.text,
    args_hash: view.hash,
    form_json: formText(question.form),
    signal_name: text(question.signalName, MAX_NAME_CHARS),
    default: sendable(question.default, 50),
    can_always: canAlways,
    keeps_args: keepsArgs,
  };
}

function formText(form: object | undefined): string | null {
  if (form === undefined) return null;
  const found = JSON.stringify(form);
  if (found.length > MAX_FORM_CHARS) throw new Error('the form is too long');
  return found;
}

function text(value: string | undefined, maxChars: number): string | null {
  return value === undefined ? null : sendable(value, maxChars);
}

/** Call `act` at a time of `performance.now`, however far; return a function that stops it. */
function after(deadline: number, act: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const left = deadline - performance.now();
    // The timer keeps the process alive: it waits for a person.
    timer = setTimeout(
      () => (left > LONGEST_TIMER_MS ? wait() : act()),
      Math.min(left, LONGEST_TIMER_MS),
    );
  };
  wait();
  return () => clearTimeout(timer);
}
