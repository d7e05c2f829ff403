/** Requests of a server to its client in the middle of a call, and their answers. */
import type { Clip } from '../../api/types.ts';
import { isCut } from '../transcript/transcript-text.ts';

interface ServerAsk {
  readonly asked: string | undefined;
  /** `accept`, `decline`, `cancel`; undefined: no answer, or one without an action. */
  readonly action: string | undefined;
  /** Values of the form, as JSON. */
  readonly content: Clip | undefined;
  /** Answer of a model. */
  readonly text: string | undefined;
  readonly model: string | undefined;
}

/** Read the exchange of an elicitation or a sampling; undefined if it is neither. */
export function readServerAsk(
  method: string | null,
  request: Clip | null,
  response: Clip | null,
): ServerAsk | undefined {
  if (method !== 'elicitation/create' && method !== 'sampling/createMessage') return undefined;
  const params = member(parsed(request), 'params');
  const result = member(parsed(response), 'result');
  if (params === undefined && result === undefined) return undefined;
  const content = member(result, 'content');
  const isForm = method === 'elicitation/create';
  return {
    asked: isForm ? string(params, 'message') : lastText(member(params, 'messages')),
    action: isForm ? string(result, 'action') : undefined,
    content: isForm && isFilled(content) ? asClip(content) : undefined,
    text: isForm ? undefined : textOf(content),
    model: string(result, 'model'),
  };
}

function parsed(clip: Clip | null): unknown {
  if (clip === null || !clip.is_json || isCut(clip)) return undefined;
  try {
    return JSON.parse(clip.text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function string(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function asClip(value: unknown): Clip {
  const text = JSON.stringify(value);
  return { text, chars: [...text].length, is_json: true, is_truncated: false };
}

function lastText(messages: unknown): string | undefined {
  return Array.isArray(messages) ? textOf(member(messages.at(-1), 'content')) : undefined;
}

/** Text of one content part or of a list of parts. */
function textOf(content: unknown): string | undefined {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => string(part, 'text')).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n');
}
