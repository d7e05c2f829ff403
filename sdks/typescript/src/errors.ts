/** Errors of operations that were denied or cancelled. */

/** A person, a decision or a failure denied the operation; it did not run. */
export class DeniedError extends Error {
  override readonly name = 'DeniedError';
  /** The denied operation, such as the name of the tool. */
  readonly operation: string;
  readonly reason: string;

  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`${operation} was denied: ${reason}`, options);
    this.operation = operation;
    this.reason = reason;
  }
}

/** The session was cancelled. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
  readonly operation: string;
  readonly reason: string;

  constructor(operation: string, reason: string) {
    super(`${operation} was ${reason}`);
    this.operation = operation;
    this.reason = reason;
  }
}
