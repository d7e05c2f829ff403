/** Tools of the Vercel AI SDK: watched, approved and controlled. */

import type { ToolSet } from 'ai';

import { type AskOptions, ask, checkAsk, type Decide } from '../operations/decision.js';
import { operate, operateStream } from '../operations/operate.js';
import { isAsyncGenerator, toolSpec } from '../operations/tool.js';

/** A tool call. */
export interface ToolCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** Options of `inspectorTools`. */
export interface ToolsOptions<Name extends string = string> extends AskOptions {
  /** Decides in code, before `ask`. */
  readonly decide?: ((call: ToolCall) => ReturnType<Decide<unknown, unknown>>) | undefined;
  /** Asks a person: before these tools, or by a function of the call; a string is the prompt. */
  readonly ask?:
    | readonly Name[]
    | ((call: ToolCall) => boolean | string | undefined | Promise<boolean | string | undefined>)
    | undefined;
}

interface CallOptions {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal;
}

type Execute = (input: unknown, options: CallOptions) => unknown;

/**
 * Wrap `tools` for `generateText`, `streamText` or an agent, so that decisions apply to each call.
 *
 * A denial is a `DeniedError`, which the SDK passes to the model. Tools without `execute` are left
 * unchanged. If the SDK's own telemetry is on, its span of the call is used.
 */
export function inspectorTools<T extends ToolSet>(
  tools: T,
  options: ToolsOptions<keyof T & string> = {},
): T {
  checkAsk(options);
  checkNames(tools, options.ask);
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const { execute } = tool as { execute?: Execute };
    if (typeof execute !== 'function') return [name, tool];
    return [name, { ...tool, execute: watched(name, execute, options) }];
  });
  return Object.fromEntries(wrapped) as T;
}

/** Throw if a tool that is to be asked about would never be: a name that no tool here has. */
function checkNames(tools: ToolSet, asks: ToolsOptions['ask']): void {
  if (asks === undefined || typeof asks === 'function') return;
  if (!Array.isArray(asks)) throw new TypeError('ask must be a list of tool names or a function.');
  for (const name of asks) {
    if (typeof tools[name]?.execute === 'function') continue;
    const why =
      name in tools
        ? 'it has no execute, so it does not run in this process'
        : 'no tool has this name';
    throw new TypeError(`Cannot ask before ${JSON.stringify(name)}: ${why}.`);
  }
}

function watched(toolName: string, execute: Execute, options: ToolsOptions): Execute {
  const rules = { name: toolName, decide: decidesOf(toolName, options) };
  if (isAsyncGenerator(execute)) {
    return (input, call) => {
      const stream = (final: unknown) => execute(final, call) as AsyncIterable<unknown>;
      return operateStream(toolSpec(toolName, { callId: call?.toolCallId }), input, rules, stream);
    };
  }
  return (input, call) =>
    operate(
      toolSpec(toolName, { callId: call?.toolCallId }),
      input,
      rules,
      async (final, signal) => {
        const result = await execute(final, abortedBy(call, signal));
        return isAsyncIterable(result) ? last(result) : result;
      },
    );
}

function decidesOf(toolName: string, options: ToolsOptions): Decide<unknown, unknown>[] {
  const { decide, ask: asks, timeoutMs, default: otherwise } = options;
  const decides: Decide<unknown, unknown>[] = [];
  if (decide !== undefined) decides.push((input) => decide({ toolName, input }));
  if (asks === undefined) return decides;
  decides.push(async (input) => {
    const wanted =
      typeof asks === 'function' ? await asks({ toolName, input }) : asks.includes(toolName);
    if (wanted === false || wanted === undefined) return undefined;
    const prompt = typeof wanted === 'string' ? wanted : undefined;
    return ask(prompt, { timeoutMs, default: otherwise });
  });
  return decides;
}

/** Return the options of a call that is aborted by `signal` as well. */
function abortedBy(call: CallOptions, signal: AbortSignal | undefined): CallOptions {
  if (signal === undefined) return call;
  const { abortSignal } = call ?? {};
  return { ...call, abortSignal: abortSignal ? AbortSignal.any([abortSignal, signal]) : signal };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Return the last piece, which is the result of a tool whose result comes piece by piece. */
async function last(pieces: AsyncIterable<unknown>): Promise<unknown> {
  let found: unknown;
  for await (const piece of pieces) found = piece;
  return found;
}
