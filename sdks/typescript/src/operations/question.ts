/** A question to a person, which is no operation: the program waits for the answer. */

import { trace } from '@opentelemetry/api';

import { NO_ARGUMENTS } from '../control/arguments.js';
import { runtime } from '../runtime.js';
import { checkAsk } from './decision.js';
import { currentOperation } from './operation.js';
import { sessionId } from './session.js';

const DEFAULT_TIMEOUT_MS = 300_000;

/** Options of `question`. */
export interface QuestionOptions {
  /** JSON Schema of the answer; an answer that does not fit is not taken. */
  readonly form?: object | undefined;
  /** Answers to suggest. */
  readonly options?: readonly string[] | undefined;
  /** The name by which `POST /signal/{session}` answers it as well. */
  readonly signalName?: string | undefined;
  /** How long to wait; 5 minutes unless said otherwise. */
  readonly timeoutMs?: number | undefined;
}

/** What came of a question. */
export interface GivenAnswer {
  /** `answer`, with a payload; otherwise there is none. */
  readonly decision: 'answer' | 'decline' | 'cancel';
  readonly payload: unknown;
  readonly reason: string | null;
  readonly actor: string | undefined;
}

/**
 * Ask a person something, and wait for the answer.
 *
 * Nobody answers in time: `decline`. There is no inspector: `cancel`, at once.
 *
 * @throws RangeError An option is none of its values.
 */
export async function question(
  prompt: string,
  options: QuestionOptions = {},
): Promise<GivenAnswer> {
  checkAsk({ timeoutMs: options.timeoutMs });
  const control = runtime()?.control;
  if (control === undefined) {
    const reason = 'nobody can be asked: there is no inspector';
    return { decision: 'cancel', payload: undefined, reason, actor: undefined };
  }
  const operation = currentOperation();
  const around = trace.getActiveSpan()?.spanContext();
  const ending = await control.ask(
    {
      kind: 'question',
      prompt,
      default: 'decline',
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      view: NO_ARGUMENTS,
      args: () => undefined,
      location: operation?.location ?? {
        sessionId: sessionId(),
        traceId: around?.traceId,
        spanId: around?.spanId,
      },
      form: options.form,
      options: options.options,
      signalName: options.signalName,
      signal: operation?.signal,
    },
    {
      opened: (id) =>
        operation?.requestOpened(id, 'question', prompt, {
          ...(options.signalName ? { 'inspector.request.signal': options.signalName } : {}),
        }),
      closed: (id, closed) => operation?.requestClosed(id, closed),
    },
  );
  return {
    decision: ending.decision as GivenAnswer['decision'],
    payload: ending.decision === 'answer' ? ending.payload : undefined,
    reason: ending.reason,
    actor: ending.actor,
  };
}

/** Return a signal that is aborted when somebody cancels the operation that the code runs in. */
export function cancellation(): AbortSignal | undefined {
  return currentOperation()?.signal;
}
