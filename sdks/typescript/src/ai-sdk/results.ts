/** Answers of a model: made up, put together from a stream, and summed up. */

import type { Attributes } from '@opentelemetry/api';

import type { Content, GenerateResult, StreamPart, StreamResult } from './messages.js';

/** Return an answer that says `text`, as if the model had. */
export function resultOf(text: string): GenerateResult {
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: {
        total: undefined,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
}

/** Return the stream of an answer that is there already. */
export function streamOf({ content, finishReason, usage }: GenerateResult): StreamResult {
  const parts: StreamPart[] = [{ type: 'stream-start', warnings: [] }];
  for (const [index, part] of content.entries()) {
    if (part.type !== 'text') {
      parts.push(part as StreamPart);
      continue;
    }
    const id = String(index);
    parts.push({ type: 'text-start', id }, { type: 'text-delta', id, delta: part.text });
    parts.push({ type: 'text-end', id });
  }
  parts.push({ type: 'finish', finishReason, usage });
  return {
    stream: new ReadableStream<StreamPart>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    }),
  };
}

/** What is known of an answer. */
export interface Summary {
  readonly content: readonly Content[];
  readonly finishReason: string;
  readonly attributes: Attributes;
}

/** Return what is known of a whole answer. */
export function summaryOf(result: GenerateResult): Summary {
  const finishReason = finishOf(result.finishReason);
  const attributes = {
    ...usageOf(result.usage),
    ...responseOf(result.response),
    'gen_ai.response.finish_reasons': [finishReason],
  };
  return { content: result.content, finishReason, attributes };
}

/** Puts the parts of a stream together. */
export class StreamSummary {
  readonly #content: Content[] = [];
  readonly #texts = new Map<string, { type: 'text' | 'reasoning'; text: string }>();
  #finishReason = 'other';
  #attributes: Attributes = {};
  /** What the stream said went wrong. */
  error: unknown;

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#extend(part.type === 'text-delta' ? 'text' : 'reasoning', part.id, part.delta);
        break;
      case 'tool-call':
      case 'tool-result':
        this.#content.push(part);
        break;
      case 'response-metadata':
        this.#attributes = { ...this.#attributes, ...responseOf(part) };
        break;
      case 'finish':
        this.#finishReason = finishOf(part.finishReason);
        this.#attributes = {
          ...this.#attributes,
          ...usageOf(part.usage),
          'gen_ai.response.finish_reasons': [this.#finishReason],
        };
        break;
      case 'error':
        this.error = part.error;
        break;
      default:
        break;
    }
  }

  summary(): Summary {
    return {
      content: this.#content,
      finishReason: this.#finishReason,
      attributes: this.#attributes,
    };
  }

  #extend(type: 'text' | 'reasoning', id: string, delta: string): void {
    const key = `${type} ${id}`;
    let found = this.#texts.get(key);
    if (found === undefined) {
      found = { type, text: '' };
      this.#texts.set(key, found);
      this.#content.push(found);
    }
    found.text += delta;
  }
}

function finishOf(reason: unknown): string {
  const found =
    typeof reason === 'object' && reason !== null && 'unified' in reason ? reason.unified : reason;
  return typeof found === 'string' ? found : 'other';
}

/** Return the tokens; they are numbers up to version 5 of the SDK, and objects since 6. */
function usageOf(usage: unknown): Attributes {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = fieldsOf(usage);
  const [input, output] = [fieldsOf(inputTokens), fieldsOf(outputTokens)];
  return known({
    'gen_ai.usage.input_tokens': input['total'] ?? inputTokens,
    'gen_ai.usage.output_tokens': output['total'] ?? outputTokens,
    'gen_ai.usage.cache_read.input_tokens': input['cacheRead'] ?? cachedInputTokens,
    'gen_ai.usage.cache_write.input_tokens': input['cacheWrite'],
    'gen_ai.usage.reasoning.output_tokens': output['reasoning'] ?? reasoningTokens,
  });
}

function responseOf(response: unknown): Attributes {
  const { id, modelId } = fieldsOf(response);
  return {
    ...(typeof id === 'string' ? { 'gen_ai.response.id': id } : {}),
    ...(typeof modelId === 'string' ? { 'gen_ai.response.model': modelId } : {}),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function known(attributes: Readonly<Record<string, unknown>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => typeof value === 'number'),
  ) as Attributes;
}
