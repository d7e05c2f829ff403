/** Runs an operation: the gate, what code decides, what a person answers, and then the body. */

import { isStill, NO_ARGUMENTS, show } from '../control/arguments.js';
import type { Ending, Question } from '../control/control.js';
import { type CancelledError, DeniedError } from '../errors.js';
import { warn } from '../log.js';
import { type Runtime, runtime } from '../runtime.js';
import { checkAsk, type Decide, type Decision } from './decision.js';
import { Operation, type Spec } from './operation.js';

const DEFAULT_TIMEOUT_MS = 300_000;

/** Who decides, and about what. */
export interface Rules<A, R> {
  readonly name: string;
  /** In this order; the first that refuses or answers ends it. */
  readonly decide: readonly Decide<A, R>[];
}

type Resolved<A, R> = { readonly args: A } | { readonly value: R };

/**
 * Run `body` with the arguments that were decided on; return what it returns, throw what it throws.
 *
 * @param finish Ends the operation by its result; what it returns is returned.
 */
export async function operate<A, R>(
  spec: Spec,
  args: A,
  rules: Rules<A, R>,
  body: (args: A, signal: AbortSignal | undefined) => R | PromiseLike<R>,
  finish: (result: R, operation: Operation) => R = ended,
): Promise<R> {
  const operation = begin(spec);
  if (operation === undefined) {
    const resolved = await decided(undefined, undefined, spec, args, rules);
    return 'value' in resolved ? resolved.value : await body(resolved.args, undefined);
  }
  const { watch } = operation;
  try {
    const resolved = await prepare(operation, args, rules);
    if ('value' in resolved) return finish(resolved.value, watch);
    const work = watch.inside(() => body(resolved.args, watch.signal));
    return finish(await watch.race(work), watch);
  } catch (error) {
    watch.fail(error);
    throw error;
  }
}

/** As `operate`, of a body whose result comes piece by piece; the last piece is the result. */
export async function* operateStream<A, R>(
  spec: Spec,
  args: A,
  rules: Rules<A, R>,
  body: (args: A) => AsyncIterable<R>,
): AsyncGenerator<R, unknown, undefined> {
  const operation = begin(spec);
  const watch = operation?.watch;
  let last: unknown;
  let source: AsyncIterator<R> | undefined;
  let isDone = false;
  const within = <T>(work: () => T): T => (watch ? watch.inside(work) : work());
  try {
    const resolved = operation
      ? await prepare(operation, args, rules)
      : await decided(undefined, undefined, spec, args, rules);
    if ('value' in resolved) {
      isDone = true;
      last = resolved.value;
      yield resolved.value;
      return undefined;
    }
    const opened = within(() => body(resolved.args)[Symbol.asyncIterator]());
    source = opened;
    for (;;) {
      const next = within(() => opened.next());
      const step = await (watch ? watch.race(next) : next);
      if (step.done) {
        isDone = true;
        return step.value;
      }
      last = step.value;
      yield step.value;
    }
  } catch (error) {
    isDone = true;
    watch?.fail(error);
    throw error;
  } finally {
    // Who reads it may stop early.
    if (isDone) watch?.finish(last);
    else {
      await source?.return?.();
      watch?.abandon(last);
    }
  }
}

interface Begun {
  readonly watch: Operation;
  readonly runtime: Runtime;
}

function begin(spec: Spec): Begun | undefined {
  const current = runtime();
  if (current === undefined) return undefined;
  try {
    return { watch: new Operation(current, spec), runtime: current };
  } catch (error) {
    warn('operation', `${spec.title} is not watched: ${error}`);
    return undefined;
  }
}

function ended<R>(result: R, operation: Operation): R {
  operation.finish(result);
  return result;
}

async function prepare<A, R>(
  { watch, runtime }: Begun,
  args: A,
  rules: Rules<A, R>,
): Promise<Resolved<A, R>> {
  watch.input(args);
  await watch.pass();
  const resolved = await watch.inside(() => decided(runtime, watch, watch.spec, args, rules));
  if (watch.signal.aborted) throw watch.signal.reason;
  if ('args' in resolved && resolved.args !== args) watch.input(resolved.args);
  return resolved;
}

async function decided<A, R>(
  current: Runtime | undefined,
  watch: Operation | undefined,
  spec: Spec,
  args: A,
  rules: Rules<A, R>,
): Promise<Resolved<A, R>> {
  let final = args;
  for (const decide of rules.decide) {
    const began = performance.now();
    const decision = await decisionOf(decide, final, spec, watch);
    const microseconds = Math.round((performance.now() - began) * 1_000);
    const note = { interceptor: rules.name, microseconds };
    switch (decision?.action) {
      case undefined:
      case 'allow':
        break;
      case 'deny': {
        const { reason } = decision;
        watch?.note({ ...note, action: 'deny', reason });
        throw new DeniedError(spec.title, reason);
      }
      case 'edit': {
        const { args: after, reason } = decision;
        watch?.note({ ...note, action: 'modify', reason, before: final, after });
        final = after;
        break;
      }
      case 'answer': {
        const { value, reason } = decision;
        watch?.note({ ...note, action: 'stop', reason, after: value });
        return { value };
      }
      case 'ask':
        final = await asked(current, watch, spec, final, rules.name, decide, decision);
        break;
      default:
        throw new DeniedError(spec.title, 'decide() did not return a decision');
    }
  }
  return { args: final };
}

async function decisionOf<A, R>(
  decide: Decide<A, R>,
  args: A,
  spec: Spec,
  watch: Operation | undefined,
): Promise<Decision<A, R> | undefined> {
  try {
    const decision = (await decide(args)) ?? undefined;
    if (decision?.action === 'ask') checkAsk(decision);
    return decision;
  } catch (error) {
    const reason = `decide() failed (${error instanceof Error ? error.name : typeof error})`;
    watch?.note({ interceptor: spec.title, action: 'deny', reason });
    throw new DeniedError(spec.title, reason, { cause: error });
  }
}

/** Ask a person; return the arguments to run with. */
async function asked<A, R>(
  current: Runtime | undefined,
  watch: Operation | undefined,
  spec: Spec,
  args: A,
  name: string,
  decide: Decide<A, R>,
  decision: Extract<Decision, { action: 'ask' }>,
): Promise<A> {
  const control = current?.control;
  if (control === undefined || watch === undefined) {
    throw new DeniedError(spec.title, 'no Inspector service is connected to ask a person');
  }
  const view = args === undefined ? NO_ARGUMENTS : show(args);
  const prompt = decision.prompt ?? `Run ${spec.title}?`;
  const question: Question = {
    kind: 'approval',
    prompt,
    default: decision.default ?? 'deny',
    timeoutMs: decision.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    view,
    args: () => args,
    location: watch.location,
    hook: watch.hook,
    toolName: spec.toolName,
    asker: { name, key: decide },
    signal: watch.signal,
  };
  const ending = await control.ask(question, {
    opened: (id) =>
      watch.requestOpened(id, 'approval', prompt, {
        'inspector.request.hook': watch.hook,
        'inspector.request.interceptor': name,
      }),
    closed: (id, closed) => watch.requestClosed(id, closed),
  });
  return judged(watch, spec, name, args, view, ending);
}

function judged<A>(
  watch: Operation,
  spec: Spec,
  name: string,
  args: A,
  view: ReturnType<typeof show>,
  ending: Ending,
): A {
  const { reason, actor, origin } = ending;
  const note = { interceptor: name, reason, actor, origin };
  const isAllowed = ending.decision === 'allow' || ending.decision === 'allow_always';
  if (watch.signal.aborted) throw watch.signal.reason as CancelledError;
  if (!isAllowed) {
    watch.note({ ...note, action: 'deny' });
    throw new DeniedError(spec.title, reason ?? `denied by ${actor ?? 'nobody'}`);
  }
  const after = ending.status === 'answered' ? (ending.args as A) : args;
  // An answer may be handled late: what was shown has to be what runs.
  if (after === args && !isStill(view, args) && view.hash !== null) {
    const changed = 'the arguments changed after they were allowed';
    watch.note({ ...note, action: 'deny', reason: changed });
    throw new DeniedError(spec.title, changed);
  }
  if (after === args) watch.note({ ...note, action: 'continue' });
  else watch.note({ ...note, action: 'modify', before: args, after });
  return after;
}
