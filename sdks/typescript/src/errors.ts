/** What leaves an operation that was refused or cancelled. */

/** A person, a policy or a failure on the way to one refused the operation; it did not run. */
export class DeniedError extends Error {
  override readonly name = 'DeniedError';
  /** What was refused, such as the name of the tool. */
  readonly operation: string;
  readonly reason: string;

  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`${operation} was denied: ${reason}`, options);
    this.operation = operation;
    this.reason = reason;
  }
}

/** Somebody cancelled the session. */
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
