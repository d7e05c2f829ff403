/** LLM calls of the Vercel AI SDK: watched, approved and controlled. */

import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { LanguageModelMiddleware } from 'ai';

import type { Decide } from '../operations/decision.js';
import { operate, type Rules } from '../operations/operate.js';
import type { Operation, Spec } from '../operations/operation.js';
import { type RuleOptions, rulesOf } from '../operations/tool.js';
import {
  type CallOptions,
  definitionsOf,
  type GenerateResult,
  inputOf,
  type Model,
  outputOf,
  type StreamPart,
  type StreamResult,
  systemOf,
} from './messages.js';
import { resultOf, StreamSummary, type Summary, streamOf, summaryOf } from './results.js';

const SETTINGS = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
] as const;
const REQUEST_KEYS: Readonly<Record<(typeof SETTINGS)[number], string>> = {
  maxOutputTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  presencePenalty: 'gen_ai.request.presence_penalty',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  stopSequences: 'gen_ai.request.stop_sequences',
  seed: 'gen_ai.request.seed',
};
const CHUNKS: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-call',
]);
const MODEL_CALLS = ['chat', 'generate_content', 'text_completion'];

/** Part of an LLM call that people see and can edit. */
export type ModelCall = Pick<CallOptions, 'prompt' | (typeof SETTINGS)[number]>;

/** Answer in place of the model's: a text, or a whole result. */
export type ModelAnswer = string | GenerateResult;

/** Options of `inspectorMiddleware`. */
export type MiddlewareOptions = RuleOptions<ModelCall, ModelAnswer>;

/**
 * Return a middleware for `wrapLanguageModel` that watches LLM calls and applies decisions.
 *
 * If the SDK's own telemetry is on, its span of the call is used instead of a second one.
 */
export function inspectorMiddleware(options: MiddlewareOptions = {}): LanguageModelMiddleware {
  const rules = rulesOf('inspectorMiddleware', options);
  return {
    specificationVersion: 'v4',
    wrapGenerate: ({ params, model }) =>
      operate<ModelCall, GenerateResult>(
        specOf(model, params),
        callOf(params),
        answering(rules, (answer) => answer),
        (call, signal) => model.doGenerate(paramsOf(params, call, signal)),
        (result, operation) => {
          tell(operation, summaryOf(result));
          return result;
        },
      ),
    wrapStream: ({ params, model }) =>
      operate<ModelCall, StreamResult>(
        { ...specOf(model, params), isSpanOf: isModelCall },
        callOf(params),
        answering(rules, streamOf),
        (call, signal) => model.doStream(paramsOf(params, call, signal)),
        (result, operation) => ({ ...result, stream: watched(result.stream, operation) }),
      ),
  };
}

function specOf(model: Model, params: CallOptions): Spec {
  const { modelId, provider } = model;
  const attributes: Attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider.split('.')[0] ?? provider,
    'gen_ai.request.model': modelId,
  };
  for (const setting of SETTINGS) {
    const value = params[setting];
    if (value !== undefined) attributes[REQUEST_KEYS[setting]] = value;
  }
  return {
    noun: 'llm_generate',
    title: modelId,
    spanName: `chat ${modelId}`,
    spanKind: SpanKind.CLIENT,
    attributes,
    isScope: false,
    isSpanOf: isModelCall,
    input: (call) => {
      const { prompt } = call as ModelCall;
      const system = systemOf(prompt);
      return {
        'gen_ai.input.messages': inputOf(prompt),
        'gen_ai.system_instructions': system.length > 0 ? system : undefined,
        'gen_ai.tool.definitions': definitionsOf(params.tools),
      };
    },
    output: (messages) => ({ 'gen_ai.output.messages': messages }),
  };
}

/** Return whether a span of the SDK's own telemetry, or of another's, is of this call. */
function isModelCall({ name, attributes }: { name: string; attributes: Attributes }): boolean {
  const operation = attributes['gen_ai.operation.name'];
  return MODEL_CALLS.includes(String(operation)) || /^ai\..*\.do(Generate|Stream)$/.test(name);
}

function callOf(params: CallOptions): ModelCall {
  const settings = SETTINGS.flatMap((key) =>
    params[key] === undefined ? [] : [[key, params[key]] as const],
  );
  return { prompt: params.prompt, ...Object.fromEntries(settings) };
}

function paramsOf(
  params: CallOptions,
  call: ModelCall,
  signal: AbortSignal | undefined,
): CallOptions {
  const signals = [params.abortSignal, signal].filter((one) => one !== undefined);
  const edited = { ...params };
  for (const key of SETTINGS) delete edited[key];
  Object.assign(edited, call);
  return signals.length > 0 ? { ...edited, abortSignal: AbortSignal.any(signals) } : edited;
}

/** Return rules whose answers are what the SDK takes. */
function answering<R>(
  { name, decide }: Rules<ModelCall, ModelAnswer>,
  from: (answer: GenerateResult) => R,
): Rules<ModelCall, R> {
  const converted = decide.map(
    (one): Decide<ModelCall, R> =>
      async (call) => {
        const decision = await one(call);
        if (decision?.action !== 'answer') return decision;
        const { value } = decision;
        return { ...decision, value: from(typeof value === 'string' ? resultOf(value) : value) };
      },
  );
  return { name, decide: converted };
}

function tell(operation: Operation, summary: Summary): void {
  operation.attributes(summary.attributes);
  operation.finish(outputOf(summary.content, summary.finishReason));
}

/** Return the same stream; its end is the operation's. */
function watched(
  stream: ReadableStream<StreamPart>,
  operation: Operation,
): ReadableStream<StreamPart> {
  const reader = stream.getReader();
  const summary = new StreamSummary();
  const end = () => {
    if (summary.error === undefined) tell(operation, summary.summary());
    else operation.fail(summary.error);
  };
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await operation.inside(() => reader.read());
          if (done) {
            end();
            controller.close();
            return;
          }
          summary.add(value);
          if (CHUNKS.has(value.type))
            operation.chunk(value.type === 'text-delta' ? value.delta : '');
          controller.enqueue(value);
        } catch (error) {
          operation.fail(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        const { attributes, content, finishReason } = summary.summary();
        operation.attributes(attributes);
        operation.abandon(outputOf(content, finishReason));
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
