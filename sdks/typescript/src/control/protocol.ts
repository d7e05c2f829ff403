/** What goes over the channel (`openapi.yaml`), and how a command is read. Pure. */

const MAX_NAME_CHARS = 256;
const MAX_REASON_CHARS = 4_000;
const MAX_TRACES = 1_000;

export type RequestKind = 'approval' | 'question' | 'breakpoint';

/** `OpenedRequest` of the wire, but for its times. */
export interface OpenRequest {
  readonly id: string;
  readonly session_id: string | null;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly kind: RequestKind;
  readonly hook: string | null;
  readonly interceptor: string | null;
  readonly tool_name: string | null;
  readonly prompt: string;
  readonly options: readonly string[];
  readonly args_json: string | null;
  readonly args_text: string | null;
  readonly args_hash: string | null;
  readonly form_json: string | null;
  readonly signal_name: string | null;
  readonly default: string;
  readonly can_always: boolean;
  readonly keeps_args: boolean;
}

/** What becomes of a command; both go to the service. */
export interface Outcome {
  readonly applied: boolean;
  readonly reason: string | null;
}

export type RequestStatus = 'answered' | 'expired' | 'withdrawn';

export type Message =
  | { readonly type: 'heartbeat' | 'goodbye'; readonly id: string }
  | ({ readonly type: 'ack'; readonly id: string; readonly seq: number } & Outcome)
  | { readonly type: 'request_opened'; readonly id: string; readonly request: object }
  | {
      readonly type: 'request_closed';
      readonly id: string;
      readonly request_id: string;
      readonly status: RequestStatus;
      readonly decision: string | null;
      readonly reason: string | null;
    };

/** Somebody who answers or steers. */
export interface Issuer {
  readonly actor: string;
  readonly origin: string;
  readonly reason: string | null;
}

/** `CommandAnswer` of the wire, not checked yet. */
export interface ReceivedAnswer extends Issuer {
  readonly requestId: string;
  readonly decision: string;
  readonly argsJson: string | null;
  readonly argsHash: string | null;
  readonly payloadJson: string | null;
}

/** `Command` of the wire. */
export interface Command extends Issuer {
  readonly seq: number;
  readonly type: string;
  readonly sessionId: string;
  readonly traceIds: readonly string[];
  readonly answer: ReceivedAnswer | undefined;
  readonly signalName: string | null;
  readonly payloadJson: string | null;
  readonly issuedAt: string;
}

/** An invalid command; `seq` is its number, if that could be read. */
export class MalformedCommandError extends Error {
  constructor(
    problem: string,
    readonly seq?: number,
  ) {
    super(problem);
  }
}

/** Return who did something, for people. */
export function named(by: Issuer): string {
  const who = `${by.actor} (${by.origin})`;
  return by.reason ? `${who}: ${by.reason}` : who;
}

/** Return text that fits on the wire: cut, and without halves of characters. */
export function sendable(text: string, maxChars: number): string {
  const cut = text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
  return Buffer.from(cut, 'utf8').toString('utf8');
}

/** Return a reason that fits on the wire. */
export function sendableReason(reason: string | null): string | null {
  return reason === null ? null : sendable(reason, MAX_REASON_CHARS);
}

/** Return the key of a command: numbers alone start again in another store. */
export function identityOf(command: Command): string {
  const { seq, issuedAt, type, sessionId, answer } = command;
  return JSON.stringify([seq, issuedAt, type, sessionId, answer?.requestId]);
}

/**
 * Read the `data` of one event.
 *
 * @throws MalformedCommandError It is invalid.
 */
export function readCommand(text: string): Command {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new MalformedCommandError('not JSON');
  }
  if (!isObject(fields)) throw new MalformedCommandError('not an object');
  const seq = fields['seq'];
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) {
    throw new MalformedCommandError('seq is missing or invalid');
  }
  try {
    return commandOf(seq, fields);
  } catch (error) {
    throw new MalformedCommandError((error as Error).message, seq);
  }
}

function commandOf(seq: number, fields: Record<string, unknown>): Command {
  const by: Issuer = {
    actor: textOf(fields, 'actor') ?? '',
    origin: textOf(fields, 'origin') ?? '',
    reason: textOf(fields, 'reason', MAX_REASON_CHARS),
  };
  const traces = fields['trace_ids'] ?? [];
  if (!Array.isArray(traces)) throw new TypeError('trace_ids is not a list');
  const answer = fields['answer'] ?? undefined;
  if (answer !== undefined && !isObject(answer)) throw new TypeError('answer is not an object');
  return {
    ...by,
    seq,
    type: needed(fields, 'type'),
    sessionId: textOf(fields, 'session_id') ?? '',
    traceIds: traces.slice(0, MAX_TRACES).filter((id): id is string => typeof id === 'string'),
    answer: answer && {
      ...by,
      requestId: needed(answer, 'request_id'),
      decision: needed(answer, 'decision'),
      argsJson: textOf(answer, 'args_json', Number.POSITIVE_INFINITY),
      argsHash: textOf(answer, 'args_hash'),
      payloadJson: textOf(answer, 'payload_json', Number.POSITIVE_INFINITY),
    },
    signalName: textOf(fields, 'signal_name'),
    payloadJson: textOf(fields, 'payload_json', Number.POSITIVE_INFINITY),
    issuedAt: textOf(fields, 'issued_at') ?? '',
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function needed(fields: Record<string, unknown>, name: string): string {
  const text = textOf(fields, name);
  if (!text) throw new TypeError(`${name} is missing`);
  return text;
}

function textOf(
  fields: Record<string, unknown>,
  name: string,
  longest = MAX_NAME_CHARS,
): string | null {
  const text = fields[name] ?? null;
  if (text !== null && typeof text !== 'string') throw new TypeError(`${name} is not a string`);
  return text === null ? null : text.slice(0, longest);
}
