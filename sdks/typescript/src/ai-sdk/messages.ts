/** Messages of the Vercel AI SDK in OpenTelemetry's words. Pure. */

import type { LanguageModelMiddleware } from 'ai';

type WrapGenerate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;

export type CallOptions = Parameters<WrapGenerate>[0]['params'];
export type Model = Parameters<WrapGenerate>[0]['model'];
export type GenerateResult = Awaited<ReturnType<WrapGenerate>>;
export type StreamResult = Awaited<ReturnType<WrapStream>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer P> ? P : never;
export type Content = GenerateResult['content'][number];

/** A part of a message, of any version of the SDK. */
type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Return the instructions, as `gen_ai.system_instructions` has them. */
export function systemOf(prompt: CallOptions['prompt']): object[] {
  return prompt.flatMap((message) =>
    message.role === 'system' ? [{ type: 'text', content: message.content }] : [],
  );
}

/** Return the other messages, as `gen_ai.input.messages` has them. */
export function inputOf(prompt: CallOptions['prompt']): object[] {
  return prompt.flatMap((message) =>
    message.role === 'system'
      ? []
      : [{ role: message.role, parts: [...message.content].map(partOf) }],
  );
}

/** Return an answer of the model, as `gen_ai.output.messages` has it. */
export function outputOf(content: readonly Content[], finishReason: string): object[] {
  const parts = content.map(partOf);
  return [{ role: 'assistant', parts, finish_reason: finishReason }];
}

/** Return tools, as `gen_ai.tool.definitions` has them. */
export function definitionsOf(tools: CallOptions['tools']): object[] | undefined {
  return tools?.map((tool) =>
    tool.type === 'function'
      ? {
          type: 'function',
          name: tool.name,
          description: tool.description,
          parameters: tool.inputSchema,
        }
      : { type: tool.type, name: tool.name },
  );
}

function partOf(given: { readonly type: string }): object {
  const part = given as Part;
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part['text'] };
    case 'tool-call':
      return {
        type: 'tool_call',
        id: part['toolCallId'],
        name: part['toolName'],
        arguments: parsed(part['input']),
      };
    case 'tool-result':
      return {
        type: 'tool_call_response',
        id: part['toolCallId'],
        response: outputValue(part['output'] ?? part['result']),
      };
    case 'file':
      return { type: 'blob', mime_type: part['mediaType'] };
    default:
      return { type: part.type };
  }
}

/** The arguments of a call are an object in a prompt, and JSON text in an answer. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function outputValue(output: unknown): unknown {
  const isTyped = typeof output === 'object' && output !== null && 'value' in output;
  return isTyped ? output.value : output;
}
