/** Signals that people send to a running program. */

import { warn } from '../log.js';

/** A signal from a person to a program. */
export interface Signal {
  readonly sessionId: string | undefined;
  readonly name: string;
  readonly payload: unknown;
  readonly actor: string;
  readonly origin: string;
  readonly reason: string | null;
}

/** Signal handler; returns false for signals that it does not handle. */
export type SignalHandler = (signal: Signal) => unknown;

class Signals {
  #handlers: readonly SignalHandler[] = [];

  on(handler: SignalHandler): () => void {
    const handle: SignalHandler = (signal) => handler(signal);
    this.#handlers = [...this.#handlers, handle];
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handle);
    };
  }

  send(signal: Signal): { applied: boolean; reason: string | null } {
    let reason: string | null = 'the agent has no handler for this signal: see `onSignal`';
    let isTaken = false;
    for (const handle of this.#handlers) {
      try {
        const returned = handle(signal);
        if (returned instanceof Promise) returned.catch(failed);
        isTaken = isTaken || returned !== false;
      } catch (error) {
        failed(error);
        reason = `the agent's handler failed (${error instanceof Error ? error.name : typeof error})`;
      }
    }
    return { applied: isTaken, reason: isTaken ? null : reason };
  }
}

function failed(error: unknown): void {
  warn('signal', `A signal handler failed: ${error}`);
}

export const signals = new Signals();

/**
 * Call `handler` for every signal from now on.
 *
 * Return false for signals that the handler ignores: the sender sees whether any handler took it.
 *
 * @returns A function that removes the handler.
 */
export function onSignal(handler: SignalHandler): () => void {
  return signals.on(handler);
}
