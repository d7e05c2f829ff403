/** Questions to a person: the program waits for the answer. */

import { trace } from '@opentelemetry/api';

import { NO_ARGUMENTS } from '../control/arguments.js';
import { runtime } from '../runtime.js';
import { checkAsk } from './decision.js';
import { currentOperation } from './operation.js';
import { sessionId } from './session.js';

const DEFAULT_TIMEOUT_MS = 300_000;

/** Options of `question`. */
export interface QuestionOptions {
  /** JSON Schema of the answer; answers that do not match are rejected. */
  readonly form?: object | undefined;
  /** Answers to suggest. */
  readonly options?: readonly string[] | undefined;
  /** Signal name by which `POST /signal/{session}` can answer, too. */
  readonly signalName?: string | undefined;
  /** Time to wait; default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** Result of a question. */
export interface GivenAnswer {
  /** `answer` comes with a payload, the others without. */
  readonly decision: 'answer' | 'decline' | 'cancel';
  readonly payload: unknown;
  readonly reason: string | null;
  readonly actor: string | undefined;
}

/**
 * Ask a person a question and wait for the answer.
 *
 * Returns `decline` if nobody answers in time, and `cancel` at once without an Inspector service.
 *
 * @throws RangeError An option is invalid.
 */
export async function question(
  prompt: string,
  options: QuestionOptions = {},
): Promise<GivenAnswer> {
  checkAsk({ timeoutMs: options.timeoutMs });
  const control = runtime()?.control;
  if (control === undefined) {
    const reason = 'no Inspector service is connected to ask a person';
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

/** Return an `AbortSignal` that aborts when a person cancels the current operation. */
export function cancellation(): AbortSignal | undefined {
  return currentOperation()?.signal;
}
