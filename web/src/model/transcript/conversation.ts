/** The messages of an LLM call for reading: each tool call with its result. */
import type { Message, Part, ToolCallPart, ToolResultPart } from '../../api/types.ts';

export type TurnPart =
  | Exclude<Part, ToolCallPart>
  | { readonly type: 'tool_use'; readonly call: ToolCallPart; readonly result?: ToolResultPart };

export interface Turn {
  readonly role: string;
  readonly origin: Message['origin'];
  readonly name: string | null;
  readonly finishReason: string | null;
  readonly parts: readonly TurnPart[];
}

export interface Exchange {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
  /** Number of messages before the input, without instructions. */
  readonly earlier: number;
}

/** What an LLM call was sent since the last answer, or an agent was asked last; and the answer. */
export function lastExchange(messages: readonly Message[], isAgent: boolean): Exchange {
  const output = messages.filter(({ origin }) => origin === 'output');
  const sent = messages.filter(({ origin, role }) => origin === 'input' && role !== 'system');
  const task = sent.findLastIndex(({ role }) => role === 'user');
  const answered = sent.findLastIndex(({ role }) => role === 'assistant');
  // An agent's own messages may hold all that it did since: what it was asked is read first.
  const from = isAgent ? Math.max(task, 0) : Math.min(answered + 1, Math.max(sent.length - 1, 0));
  return {
    input: sent.slice(from, isAgent ? from + 1 : undefined),
    output,
    earlier: from,
  };
}

/**
 * Join results to calls of the same id, in order: the n-th result of an id answers its n-th call.
 * A result without a call stays where it is. A message left without parts is dropped.
 */
export function joinToolResults(messages: readonly Message[]): Turn[] {
  const waiting = resultsById(messages);
  const joined = new Set<ToolResultPart>();
  const joinCall = (call: ToolCallPart): TurnPart => {
    const result = call.id === null ? undefined : waiting.get(call.id)?.shift();
    if (result === undefined) return { type: 'tool_use', call };
    joined.add(result);
    return { type: 'tool_use', call, result };
  };
  // All calls first: a result is never left standing because it was sent before its call.
  const turns = messages.map((message) => ({
    role: message.role,
    origin: message.origin,
    name: message.name ?? null,
    finishReason: message.finish_reason ?? null,
    parts: message.parts.map(
      (part): TurnPart => (part.type === 'tool_call' ? joinCall(part) : part),
    ),
    wasEmpty: message.parts.length === 0,
  }));
  return turns
    .map(({ wasEmpty, ...turn }) => ({
      turn: {
        ...turn,
        parts: turn.parts.filter((part) => part.type !== 'tool_result' || !joined.has(part)),
      },
      wasEmpty,
    }))
    .filter(({ turn, wasEmpty }) => wasEmpty || turn.parts.length > 0)
    .map(({ turn }) => turn);
}

function resultsById(messages: readonly Message[]): Map<string, ToolResultPart[]> {
  const byId = new Map<string, ToolResultPart[]>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type !== 'tool_result' || part.id === null) continue;
    const results = byId.get(part.id);
    if (results === undefined) byId.set(part.id, [part]);
    else results.push(part);
  }
  return byId;
}
