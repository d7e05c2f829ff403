/** Texts of a request and of its buttons: each says exactly what will happen. */
import type { Request } from '../../api/types.ts';
import {
  allowOnce,
  allowWithEdits,
  alwaysAllow,
  decidedBy,
  denyTool,
  PARTS_TEXT,
  questionFrom,
  REQUEST_TEXT,
  rejectedByAgent,
  stoppedBefore,
  timedOut,
  waitingForSignal,
  wantedToRun,
  wantsToRun,
} from '../../texts.ts';
import { membersLine } from '../json/json-text.ts';
import { formatDuration, quoted } from '../text/format.ts';
import { plainLine } from '../text/hidden-characters.ts';
import { beginningOf } from '../text/text-parts.ts';

export function isPending(request: Request): boolean {
  return request.status === 'pending';
}

/**
 * The later of two versions: each change of status adds a transition, an agent's report an
 * `applied`.
 */
export function newerRequest(known: Request | undefined, incoming: Request): Request {
  if (known === undefined) return incoming;
  const ahead = known.transitions.length - incoming.transitions.length;
  if (ahead !== 0) return ahead > 0 ? known : incoming;
  const isKnownLater = known.answer?.applied != null && incoming.answer?.applied == null;
  return isKnownLater ? known : incoming;
}

/** Whether the request is granted when its time passes without an answer. */
export function allowsByItself(request: Request): boolean {
  const { kind, expires_at } = request;
  return kind !== 'question' && expires_at !== null && request.default.startsWith('allow');
}

/** Compare: what allows by itself, then the soonest deadline, none last, then the longest wait. */
export function compareUrgentFirst(a: Request, b: Request): number {
  const [allows, allowsOther] = [allowsByItself(a), allowsByItself(b)];
  if (allows !== allowsOther) return allows ? -1 : 1;
  return (
    compareText(a.expires_at ?? NEVER, b.expires_at ?? NEVER) ||
    compareText(a.created_at, b.created_at) ||
    compareText(a.id, b.id)
  );
}

/** After every time of day and year. */
const NEVER = '~';

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One line: who waits, or waited, and for what. */
export function headlineOf(request: Request): string {
  const tool = toolOf(request);
  const waits = isPending(request);
  switch (request.kind) {
    case 'approval':
      if (tool === undefined) return REQUEST_TEXT.approval;
      return waits ? wantsToRun(tool) : wantedToRun(tool);
    case 'breakpoint':
      return tool === undefined ? REQUEST_TEXT.breakpoint : stoppedBefore(tool);
    case 'question':
      if (isElicitation(request)) return REQUEST_TEXT.elicitation;
      if (request.signal_name) return waitingForSignal(plainLine(request.signal_name, 60));
      return tool === undefined ? REQUEST_TEXT.question : questionFrom(tool);
  }
}

/** The line of a list, where the card with the headline is not in view: a question by its first line. */
export function lineOf(request: Request): string {
  const asks = request.kind === 'question' ? request.prompt.trim().split('\n', 1)[0] : '';
  return plainLine(asks ?? '') || headlineOf(request);
}

/** The arguments on one line: what tells two requests of one tool apart. */
export function argumentsLine({ args_json, args_text }: Request): string {
  return plainLine(args_json === null ? (args_text ?? '') : membersLine(args_json), 160);
}

/** Whether the request is a question of an MCP server, passed on by its host. */
function isElicitation({ signal_name }: Request): boolean {
  return signal_name === 'elicitation';
}

function toolOf({ tool_name }: Request): string | undefined {
  const name = plainLine(tool_name ?? '', 60);
  return name === '' ? undefined : name;
}

/** `editCount`: of the arguments; 0 sends them as they are. */
export function allowLabel(request: Request, editCount: number): string {
  if (editCount > 0) return allowWithEdits(editCount);
  if (request.kind === 'breakpoint') return REQUEST_TEXT.continue;
  return allowOnce(toolOf(request));
}

export function alwaysLabel({ interceptor }: Request): string {
  const name = plainLine(shortName(interceptor ?? ''), 60);
  return alwaysAllow(name === '' ? undefined : name);
}

/** What is last in a qualified name, `__main__.ask.<locals>.by_rule`; another name is itself. */
function shortName(name: string): string {
  if (!QUALIFIED_NAME.test(name)) return name;
  return name.split('.').findLast((part) => !part.startsWith('<')) ?? name;
}

const QUALIFIED_NAME = /^[\p{L}_][\p{L}\p{N}_]*(\.([\p{L}_][\p{L}\p{N}_]*|<\w+>))+$/u;

export function denyLabel(request: Request): string {
  return denyTool(toolOf(request));
}

/** Whether the arguments can be edited: an answer to a question carries none. */
export function canEditArguments(request: Request): boolean {
  return isPending(request) && request.kind !== 'question' && request.args_json !== null;
}

/** Reason why the arguments cannot be edited; undefined if they can. */
export function notEditable(request: Request): string | undefined {
  if (request.args_json !== null) return undefined;
  if (!isPending(request)) return REQUEST_TEXT.argumentsErased;
  return request.args_text === null ? undefined : REQUEST_TEXT.notEditable;
}

/** A text of which only the beginning was shown; undefined: none. */
export type Unseen = typeof REQUEST_TEXT.prompt | typeof PARTS_TEXT.arguments | undefined;

/**
 * The text that must be shown in full before a request can be granted: nobody grants what they
 * could not have seen.
 *
 * `args`: the arguments as they are shown. `seen`: long texts that were shown whole.
 */
export function unseenOf(request: Request, args: string, seen: readonly string[]): Unseen {
  const isUnseen = (text: string) => beginningOf(text) < text.length && !seen.includes(text);
  if (isUnseen(request.prompt)) return REQUEST_TEXT.prompt;
  return isUnseen(args) ? PARTS_TEXT.arguments : undefined;
}

/** Outcome if nobody answers: `denied`. */
export function defaultName({ default: decision }: Request): string {
  return decisionName(decision);
}

/** A decision as what came of it: `denied`. */
export function decisionName(decision: string): string {
  const name = Object.entries(REQUEST_TEXT.decisions).find(([known]) => known === decision)?.[1];
  return name ?? plainLine(decision, 30);
}

/** Whether what was asked for may happen, also because nobody answered. */
export function isGranted({ status, answer, default: decision }: Request): boolean {
  const made = status === 'expired' ? decision : answer?.decision;
  return made === 'allow' || made === 'allow_always' || made === 'answer';
}

/** End of a request, in words. */
export function outcomeOf(request: Request): string {
  const { answer, status, created_at, expires_at } = request;
  switch (status) {
    case 'answered': {
      if (answer === null) return REQUEST_TEXT.statuses.answered;
      const decision = REQUEST_TEXT.decisions[answer.decision];
      return decidedBy(decision, answer.is_edited, plainLine(answer.actor, 80));
    }
    case 'expired': {
      const after_ms = Date.parse(expires_at ?? created_at) - Date.parse(created_at);
      const after = after_ms > 0 ? formatDuration(after_ms * 1e6) : undefined;
      return timedOut(defaultName(request), after);
    }
    default:
      return REQUEST_TEXT.statuses[status];
  }
}

/** Whether the agent took the answer, in words; empty without an answer. */
export function appliedText({ answer }: Request): string {
  if (answer === null) return '';
  if (answer.applied === null) return REQUEST_TEXT.notAcknowledged;
  if (answer.applied) return REQUEST_TEXT.received;
  return rejectedByAgent(quoted(plainLine(answer.applied_reason ?? '', 300)));
}
