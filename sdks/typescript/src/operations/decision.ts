/** What code decides about an operation before it runs. */

/** How a person is asked. */
export interface AskOptions {
  /** How long to wait; 5 minutes unless said otherwise. */
  readonly timeoutMs?: number | undefined;
  /** What applies if nobody answers in time; `deny` unless said otherwise. */
  readonly default?: 'allow' | 'deny' | undefined;
}

/** A decision, as `allow()`, `deny()`, `edit()`, `answer()` and `ask()` make it. */
export type Decision<A = unknown, R = unknown> =
  | { readonly action: 'allow' }
  | { readonly action: 'deny'; readonly reason: string }
  | { readonly action: 'edit'; readonly args: A; readonly reason?: string | undefined }
  | { readonly action: 'answer'; readonly value: R; readonly reason?: string | undefined }
  | ({ readonly action: 'ask'; readonly prompt?: string | undefined } & AskOptions);

/** Let it run. */
export function allow(): Decision<never, never> {
  return { action: 'allow' };
}

/** Refuse it: a `DeniedError` is thrown, with this reason. */
export function deny(reason: string): Decision<never, never> {
  return { action: 'deny', reason };
}

/** Let it run with other arguments. */
export function edit<A>(args: A, reason?: string): Decision<A, never> {
  return { action: 'edit', args, reason };
}

/** Do not run it: this is its result. */
export function answer<R>(value: R, reason?: string): Decision<never, R> {
  return { action: 'answer', value, reason };
}

/**
 * Ask a person, who may allow it, edit its arguments, or deny it.
 *
 * @throws RangeError An option is none of its values.
 */
export function ask(prompt?: string, options: AskOptions = {}): Decision<never, never> {
  checkAsk(options);
  return { action: 'ask', prompt, ...options };
}

/**
 * Check how a person is asked.
 *
 * @throws RangeError An option is none of its values.
 */
export function checkAsk({ timeoutMs, default: otherwise }: AskOptions): void {
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new RangeError(`timeoutMs is a number of milliseconds above 0, not ${timeoutMs}.`);
  }
  if (otherwise !== undefined && !['allow', 'deny'].includes(otherwise)) {
    throw new RangeError(`default is 'allow' or 'deny', not ${JSON.stringify(otherwise)}.`);
  }
}

/** Decides about an operation. What it throws denies. */
export type Decide<A, R> = (
  args: A,
) => Decision<A, R> | undefined | Promise<Decision<A, R> | undefined>;
