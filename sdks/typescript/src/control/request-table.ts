/**
 * The open requests of this process, and what the service does not know of them yet.
 *
 * What asks opens and closes them here. The channel reports them, again whenever the service may
 * have lost them, and passes the answers on.
 */

import { randomUUID } from 'node:crypto';

import type { Message, OpenRequest, Outcome, ReceivedAnswer, RequestStatus } from './protocol.js';
import { sendableReason } from './protocol.js';

const MAX_OPEN = 1_000;
const MAX_OPEN_CHARS = 64 * 2 ** 20;
const MAX_UNCONFIRMED_CLOSED = 1_000;

/** Accepts or refuses an answer; at most one call returns `applied: true`. */
export type AnswerHandler = (answer: ReceivedAnswer) => Outcome;

/** Too many requests are open; it is denied. */
export class TooManyOpenError extends Error {}

interface Entry {
  request: OpenRequest;
  readonly openedAt: number;
  readonly timeoutMs: number | undefined;
  readonly onAnswer: AnswerHandler;
  /** Id of the message to send; undefined once the service has confirmed it. */
  openedId: string | undefined;
  closed: Extract<Message, { type: 'request_closed' }> | undefined;
}

/** A bounded table of requests. */
export class RequestTable {
  readonly #entries = new Map<string, Entry>();
  #openChars = 0;
  /** Called when there is something new to report. */
  onChange: () => void = () => {};

  /**
   * Open a request; answers go to `onAnswer`.
   *
   * @throws TooManyOpenError There are too many, or their texts are too long together.
   */
  open(request: OpenRequest, timeoutMs: number | undefined, onAnswer: AnswerHandler): void {
    if (this.pending().length >= MAX_OPEN) {
      throw new TooManyOpenError(`${MAX_OPEN} requests are open, which is the maximum`);
    }
    if (this.#openChars + charsOf(request) > MAX_OPEN_CHARS) {
      throw new TooManyOpenError('the open requests together are too long');
    }
    this.#openChars += charsOf(request);
    this.#entries.set(request.id, {
      request,
      openedAt: performance.now(),
      timeoutMs,
      onAnswer,
      openedId: randomUUID(),
      closed: undefined,
    });
    this.onChange();
  }

  /** Close a request; does nothing if it is not open. */
  close(id: string, status: RequestStatus, decision: string | null, reason: string | null): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.closed !== undefined) return;
    this.#openChars -= charsOf(entry.request);
    entry.closed = {
      type: 'request_closed',
      id: randomUUID(),
      request_id: id,
      status,
      decision,
      reason: sendableReason(reason),
    };
    if (!entry.request.keeps_args) {
      entry.request = { ...entry.request, args_json: null, args_text: null };
    }
    const closed = [...this.#entries.values()].filter((one) => one.closed !== undefined);
    const oldest = closed[0];
    if (closed.length > MAX_UNCONFIRMED_CLOSED && oldest) this.#entries.delete(oldest.request.id);
    this.onChange();
  }

  /** Pass an answer to its handler; if that fails, it is not applied. */
  answer(answer: ReceivedAnswer): Outcome {
    const entry = this.#entries.get(answer.requestId);
    if (entry === undefined || entry.closed !== undefined) {
      return { applied: false, reason: 'the request is not open' };
    }
    try {
      return entry.onAnswer(answer);
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      return { applied: false, reason: `the agent failed to apply it (${name})` };
    }
  }

  /** Return the open requests, oldest first. */
  pending(): OpenRequest[] {
    return [...this.#entries.values()].flatMap((one) => (one.closed ? [] : [one.request]));
  }

  /** Return what the service has not confirmed, in order. */
  unconfirmed(): Message[] {
    return [...this.#entries.values()].flatMap((entry) => {
      const reports: Message[] = [];
      if (entry.openedId !== undefined) reports.push(openedMessage(entry.openedId, entry));
      if (entry.closed !== undefined) reports.push(entry.closed);
      return reports;
    });
  }

  /** Forget reports that the service has accepted, or will never accept. */
  confirm(messageIds: ReadonlySet<string>): void {
    for (const [id, entry] of this.#entries) {
      if (entry.closed !== undefined && messageIds.has(entry.closed.id)) this.#entries.delete(id);
      else if (messageIds.has(entry.openedId ?? '')) entry.openedId = undefined;
    }
  }

  /** Report all open requests again: the service may have lost them. */
  reportAgain(): void {
    for (const entry of this.#entries.values()) {
      // A new id: the service ignores a message whose id it knows.
      if (entry.closed === undefined) entry.openedId = randomUUID();
    }
  }
}

function openedMessage(id: string, entry: Entry): Message {
  const ageMs = performance.now() - entry.openedAt;
  const { timeoutMs } = entry;
  return {
    type: 'request_opened',
    id,
    request: {
      ...entry.request,
      age_ms: ageMs,
      expires_in_ms: timeoutMs === undefined ? null : Math.max(timeoutMs - ageMs, 0),
    },
  };
}

function charsOf(request: OpenRequest): number {
  return Object.values(request).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
}
