/** Your own tools and agents: functions that are watched, approved and controlled. */

import { type Attributes, SpanKind } from '@opentelemetry/api';

import { type AskOptions, ask, checkAsk, type Decide } from './decision.js';
import { operate, operateStream, type Rules } from './operate.js';
import type { Spec } from './operation.js';

/** Whether to ask a person first: always, with this text, or by a function of the arguments. */
export type Ask<A> =
  | boolean
  | string
  | ((args: A) => boolean | string | undefined | Promise<boolean | string | undefined>);

/** Rules for each call. */
export interface RuleOptions<A, R> extends AskOptions {
  /** Decides in code, before `ask`. */
  readonly decide?: Decide<A, R> | undefined;
  /** Asks a person. */
  readonly ask?: Ask<A> | undefined;
}

/** Options of `tool`. */
export interface ToolOptions<A, R> extends RuleOptions<A, R> {
  /** Default: the name of the function. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** A function of the arguments; further parameters are passed on and not shown. */
export type Wrapped<A, Rest extends unknown[], R> = (args: A, ...rest: Rest) => R;

/**
 * Wrap `execute` as a tool: each call is a span that can be approved, paused and cancelled.
 *
 * The first parameter is what the model chose, which people see and can edit. The tool returns and
 * throws what `execute` does, and throws `DeniedError` and `CancelledError`. It always returns a
 * promise, because it may ask a person; for an async generator, an async generator.
 */
export function tool<R>(
  execute: () => R,
  options?: ToolOptions<unknown, Awaited<R>>,
): (args?: unknown, ...rest: unknown[]) => Promise<Awaited<R>>;
export function tool<A, Rest extends unknown[], Y, T, N>(
  execute: Wrapped<A, Rest, AsyncGenerator<Y, T, N>>,
  options?: ToolOptions<A, Y>,
): Wrapped<A, Rest, AsyncGenerator<Y, unknown, undefined>>;
export function tool<A, Rest extends unknown[], R>(
  execute: Wrapped<A, Rest, R>,
  options?: ToolOptions<A, Awaited<R>>,
): Wrapped<A, Rest, Promise<Awaited<R>>>;
export function tool(execute: Callable, options: ToolOptions<unknown, unknown> = {}): Callable {
  if (typeof execute !== 'function') throw new TypeError('tool() needs a function to run.');
  const name = options.name ?? (execute.name || 'tool');
  const { description } = options;
  const spec = toolSpec(name, description === undefined ? {} : { description });
  const rules = rulesOf(name, options);
  const wrapped = isAsyncGenerator(execute)
    ? function (this: unknown, args: unknown, ...rest: unknown[]) {
        const stream = (final: unknown) =>
          execute.call(this, final, ...rest) as AsyncIterable<unknown>;
        return operateStream(spec, args, rules, stream);
      }
    : function (this: unknown, args: unknown, ...rest: unknown[]) {
        return operate(spec, args, rules, (final) => execute.call(this, final, ...rest));
      };
  return named(wrapped, name);
}

type Callable = Wrapped<unknown, unknown[], unknown>;

/** Options of `agent`. */
export interface AgentOptions {
  /** Default: the name of the function. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * Wrap `run` as an agent: each run is one trace, and a session of its own unless one is named.
 *
 * Pausing and cancelling apply to the whole run, until `run` ends: new operations of a cancelled run
 * are denied.
 */
export function agent<Args extends unknown[], R>(
  run: (...args: Args) => R,
  options: AgentOptions = {},
): (...args: Args) => Promise<Awaited<R>> {
  if (typeof run !== 'function') throw new TypeError('agent() needs a function to run.');
  const name = options.name ?? (run.name || 'agent');
  const { description } = options;
  const spec: Spec = {
    noun: 'agent_call',
    title: name,
    spanName: `invoke_agent ${name}`,
    spanKind: SpanKind.INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      ...(description === undefined ? {} : { 'gen_ai.agent.description': description }),
    },
    input: (given) => ({ 'gen_ai.input.messages': messages('user', (given as unknown[])[0]) }),
    output: (result) => ({ 'gen_ai.output.messages': messages('assistant', result) }),
    isScope: true,
    isSpanOf: () => false,
  };
  const rules: Rules<Args, Awaited<R>> = { name, decide: [] };
  return named(function (this: unknown, ...args: Args) {
    return operate(spec, args, rules, (final) => run.apply(this, final) as Awaited<R>);
  }, name);
}

/** Return what somebody said, as messages; undefined: nothing. */
function messages(role: string, said: unknown): object[] | undefined {
  if (said === undefined || said === null) return undefined;
  const content = typeof said === 'string' ? said : JSON.stringify(said);
  return content === undefined ? undefined : [{ role, parts: [{ type: 'text', content }] }];
}

/** Return what a tool call is. */
export function toolSpec(
  name: string,
  more: { description?: string; callId?: string | undefined } = {},
): Spec {
  const attributes: Attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    ...(more.description === undefined ? {} : { 'gen_ai.tool.description': more.description }),
    ...(more.callId === undefined ? {} : { 'gen_ai.tool.call.id': more.callId }),
  };
  return {
    noun: 'tool_call',
    title: name,
    toolName: name,
    spanName: `execute_tool ${name}`,
    spanKind: SpanKind.INTERNAL,
    attributes,
    input: (args) => ({ 'gen_ai.tool.call.arguments': args }),
    output: (result) => ({ 'gen_ai.tool.call.result': result }),
    isScope: false,
    isSpanOf: ({ attributes: has }) =>
      has['gen_ai.operation.name'] === 'execute_tool'
        ? has['gen_ai.tool.name'] === name
        : has['ai.toolCall.name'] === name,
  };
}

/** Return the rules that options state. */
export function rulesOf<A, R>(name: string, options: RuleOptions<A, R>): Rules<A, R> {
  const { decide, ask: asks, timeoutMs, default: otherwise } = options;
  checkAsk(options);
  const decides: Decide<A, R>[] = [];
  if (decide !== undefined) decides.push(decide);
  if (asks !== undefined && asks !== false) {
    decides.push(async (args) => {
      const wanted = typeof asks === 'function' ? await asks(args) : asks;
      if (wanted === false || wanted === undefined) return undefined;
      const prompt = typeof wanted === 'string' ? wanted : undefined;
      return ask(prompt, { timeoutMs, default: otherwise });
    });
  }
  return { name, decide: decides };
}

/** Return whether calling `execute` makes an async generator. */
export function isAsyncGenerator(execute: object): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

function named<T extends object>(wrapped: T, name: string): T {
  return Object.defineProperty(wrapped, 'name', { value: name });
}
