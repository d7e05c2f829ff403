/** Parts of the context of LLM calls, as the service measured them, for reading and drawing. */
import type {
  CallContext,
  ContextPart,
  Message,
  SpanContext,
  SpanDetail,
  ToolDefinition,
} from '../../api/types.ts';

export type PartName = ContextPart['part'];

export const PART_NAMES = [
  'system',
  'tools',
  'history',
  'retrieved',
  'tool_results',
  'other',
] as const satisfies readonly PartName[];

/** A message, or the parts of it that belong to one part of the context. */
export interface MessageOfPart {
  readonly message: Message;
  /** Its place in the conversation, from 1. */
  readonly place: number;
  readonly chars: number;
  /** Place of the message that has one of its texts before it, from 1; 0: in a tool. */
  readonly repeats: number | undefined;
}

/** Tokens of some characters of a context, estimated; undefined: the call reports none. */
export function tokensOf(
  { chars, input_tokens }: Pick<CallContext, 'chars' | 'input_tokens'>,
  of: number,
): number | undefined {
  if (input_tokens === null || chars === 0) return undefined;
  return Math.round((of / chars) * input_tokens);
}

/** Sum of a field of the parts. */
export function sumOf(
  { parts }: Pick<CallContext, 'parts'>,
  field: 'chars' | 'repeated_chars' | 'dropped_chars',
): number {
  return parts.reduce((sum, part) => sum + part[field], 0);
}

/** The cached share of the input, from 0 to 1; undefined: none is reported. */
export function cachedShare({ cached_tokens, input_tokens }: CallContext): number | undefined {
  if (!cached_tokens || !input_tokens) return undefined;
  return Math.min(cached_tokens / input_tokens, 1);
}

/** The messages of a part, each with the parts of it that belong there. */
export function messagesOf(
  { view }: Pick<SpanDetail, 'view'>,
  { pieces }: Pick<SpanContext, 'pieces'>,
  name: PartName,
): MessageOfPart[] {
  const found = new Map<number, { parts: Set<number>; chars: number; repeats?: number }>();
  for (const { part, pointer, chars, repeats } of pieces) {
    const at = placeOf(pointer);
    if (part !== name || at === undefined) continue;
    const one = found.get(at.message) ?? { parts: new Set(), chars: 0 };
    found.set(at.message, one);
    one.parts.add(at.part);
    one.chars += chars;
    if (repeats !== null) one.repeats = (placeOf(repeats)?.message ?? -1) + 1;
  }
  return [...found].flatMap(([at, { parts, chars, repeats }]) => {
    const message = view.messages[at];
    if (message === undefined) return [];
    const own = message.parts.filter((_, number) => parts.has(number));
    return [{ message: { ...message, parts: own }, place: at + 1, chars, repeats }];
  });
}

/** The tools of a context: all that the call offered. */
export function toolsOf({ view }: Pick<SpanDetail, 'view'>): readonly ToolDefinition[] {
  return view.llm?.tools_offered ?? [];
}

const MESSAGE = /^\/view\/messages\/(\d+)\/parts\/(\d+)$/;

function placeOf(pointer: string): { readonly message: number; readonly part: number } | undefined {
  const found = MESSAGE.exec(pointer);
  return found === null ? undefined : { message: Number(found[1]), part: Number(found[2]) };
}

/** A column of the stream: a call, and how high each of its parts is. */
export interface Column {
  readonly call: CallContext;
  /** Heights from 0 to 1, in the order of the parts; the highest column has 1 in sum. */
  readonly heights: readonly { readonly part: PartName; readonly height: number }[];
  /** Height up to which the context was cached. */
  readonly cached: number;
}

/**
 * Columns by start, as high as their tokens; by characters where some call reports no tokens, which
 * would not compare.
 */
export function columnsOf(calls: readonly CallContext[]): {
  readonly columns: readonly Column[];
  readonly unit: 'tokens' | 'characters';
  readonly most: number;
} {
  const hasTokens = calls.every(({ input_tokens }) => input_tokens !== null);
  const sizeOf = (call: CallContext) => (hasTokens ? (call.input_tokens ?? 0) : call.chars);
  const most = calls.reduce((found, call) => Math.max(found, sizeOf(call)), 0);
  const columns = calls.map((call) => {
    const height = most === 0 ? 0 : sizeOf(call) / most;
    return {
      call,
      heights: call.parts.map(({ part, chars }) => ({
        part,
        height: call.chars === 0 ? 0 : (chars / call.chars) * height,
      })),
      cached: (cachedShare(call) ?? 0) * height,
    };
  });
  return { columns, unit: hasTokens ? 'tokens' : 'characters', most };
}
