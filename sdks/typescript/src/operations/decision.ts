/** Decisions about an operation before it runs. */

/** Options for asking a person. */
export interface AskOptions {
  /** Time to wait; default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
  /** Decision if nobody answers in time; default: `deny`. */
  readonly default?: 'allow' | 'deny' | undefined;
}

/** A decision: the result of `allow()`, `deny()`, `edit()`, `answer()` or `ask()`. */
export type Decision<A = unknown, R = unknown> =
  | { readonly action: 'allow' }
  | { readonly action: 'deny'; readonly reason: string }
  | { readonly action: 'edit'; readonly args: A; readonly reason?: string | undefined }
  | { readonly action: 'answer'; readonly value: R; readonly reason?: string | undefined }
  | ({ readonly action: 'ask'; readonly prompt?: string | undefined } & AskOptions);

/** Run the operation. */
export function allow(): Decision<never, never> {
  return { action: 'allow' };
}

/** Deny the operation: it throws a `DeniedError` with this reason. */
export function deny(reason: string): Decision<never, never> {
  return { action: 'deny', reason };
}

/** Run the operation with other arguments. */
export function edit<A>(args: A, reason?: string): Decision<A, never> {
  return { action: 'edit', args, reason };
}

/** Skip the operation and use `value` as its result. */
export function answer<R>(value: R, reason?: string): Decision<never, R> {
  return { action: 'answer', value, reason };
}

/**
 * Ask a person, who can allow the operation, edit its arguments or deny it.
 *
 * @throws RangeError An option is invalid.
 */
export function ask(prompt?: string, options: AskOptions = {}): Decision<never, never> {
  checkAsk(options);
  return { action: 'ask', prompt, ...options };
}

/**
 * Check the options for asking a person.
 *
 * @throws RangeError An option is invalid.
 */
export function checkAsk({ timeoutMs, default: otherwise }: AskOptions): void {
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new RangeError(`timeoutMs must be a number above 0, not ${timeoutMs}.`);
  }
  if (otherwise !== undefined && !['allow', 'deny'].includes(otherwise)) {
    throw new RangeError(`default must be 'allow' or 'deny', not ${JSON.stringify(otherwise)}.`);
  }
}

/** Function that decides about an operation. If it throws, the operation is denied. */
export type Decide<A, R> = (
  args: A,
) => Decision<A, R> | undefined | Promise<Decision<A, R> | undefined>;
