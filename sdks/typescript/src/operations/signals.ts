/** Signals: what people send unasked, for whoever waits for it. */

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

/** Takes a signal; one that returns false has not taken it. */
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
    let reason: string | null = 'nobody in the agent takes signals of this name: see `onSignal`';
    let isTaken = false;
    for (const handle of this.#handlers) {
      try {
        const returned = handle(signal);
        if (returned instanceof Promise) returned.catch(failed);
        isTaken = isTaken || returned !== false;
      } catch (error) {
        failed(error);
        reason = `the agent failed on it (${error instanceof Error ? error.name : typeof error})`;
      }
    }
    return { applied: isTaken, reason: isTaken ? null : reason };
  }
}

function failed(error: unknown): void {
  warn('signal', `A handler of signals failed: ${error}`);
}

export const signals = new Signals();

/**
 * Call `handler` for every later signal.
 *
 * A handler that returns false has not taken it; the sender is told whether anybody has.
 *
 * @returns A function that undoes it.
 */
export function onSignal(handler: SignalHandler): () => void {
  return signals.on(handler);
}
