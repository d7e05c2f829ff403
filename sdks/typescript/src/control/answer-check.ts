/**
 * The agent judges an answer. Pure.
 *
 * It must be about the arguments shown, of a kind that the request allows, and usable. Any other is
 * refused, and the request waits on for another.
 */

import { type ArgumentsView, EditError, edited, isStill } from './arguments.js';
import { BadJsonError, parsed } from './exact-json.js';
import { problemOf } from './forms.js';
import type { ReceivedAnswer, RequestKind } from './protocol.js';

const MAX_PAYLOAD_BYTES = 2 ** 20;

/** Why a request cannot be allowed any more: what was shown would not be what runs. */
export const CHANGED = 'the arguments changed while the request was open';

const DECISIONS: Readonly<Record<RequestKind, readonly string[]>> = {
  approval: ['allow', 'allow_always', 'deny'],
  breakpoint: ['allow', 'deny'],
  question: ['answer', 'decline', 'cancel'],
};

/** What is asked. */
export interface Asked {
  readonly kind: RequestKind;
  readonly view: ArgumentsView;
  /** Returns the arguments as they are now. */
  readonly args: () => unknown;
  readonly canAlways: boolean;
  readonly form: object | undefined;
}

/** What an answer comes to. */
export type Verdict =
  | { readonly kind: 'refused'; readonly reason: string }
  /** It is refused, and so is everything else: the request is over. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'accepted'; readonly args?: unknown; readonly payload?: unknown };

/** Judge an answer. */
export function judge(asked: Asked, answer: ReceivedAnswer): Verdict {
  const reason = faultOf(asked, answer);
  if (reason !== undefined) return { kind: 'refused', reason };
  const isAllow = answer.decision.startsWith('allow');
  if (!isAllow && answer.decision !== 'answer') return { kind: 'accepted' };
  if (!isStill(asked.view, asked.args()) && asked.view.hash !== null) return { kind: 'changed' };
  try {
    if (!isAllow) return { kind: 'accepted', payload: payloadOf(asked.form, answer) };
    const args = asked.args();
    if (answer.argsJson === null) return { kind: 'accepted', args };
    return { kind: 'accepted', args: edited(asked.view, args, answer.argsJson) };
  } catch (error) {
    if (!(error instanceof EditError || error instanceof BadJsonError)) throw error;
    return { kind: 'refused', reason: error.message };
  }
}

function faultOf(asked: Asked, answer: ReceivedAnswer): string | undefined {
  const possible = DECISIONS[asked.kind];
  const { decision } = answer;
  if (!possible.includes(decision)) {
    return `'${decision.slice(0, 80)}' is not a valid answer; use one of ${possible.join(', ')}`;
  }
  if (decision === 'allow_always' && !asked.canAlways)
    return 'this request cannot be allowed always';
  if (answer.argsHash !== asked.view.hash) {
    return 'the answer is for different arguments';
  }
  if (answer.argsJson !== null && !decision.startsWith('allow')) {
    return `${decision} does not accept arguments`;
  }
  return undefined;
}

function payloadOf(form: object | undefined, answer: ReceivedAnswer): unknown {
  const text = answer.payloadJson ?? (form === undefined ? 'null' : '{}');
  let payload: unknown;
  try {
    payload = parsed(text, MAX_PAYLOAD_BYTES);
  } catch (error) {
    throw new BadJsonError(`the answer is invalid: ${(error as Error).message}`);
  }
  const problem = form === undefined ? undefined : problemOf(form, payload);
  if (problem !== undefined)
    throw new BadJsonError(`the answer does not match the form: ${problem}`);
  return payload;
}
