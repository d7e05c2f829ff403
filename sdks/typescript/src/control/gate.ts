/**
 * The gate: pause, step, resume and cancel for the sessions of this process.
 *
 * While a session is paused or being cancelled, an operation that begins is held or refused.
 */

import { warn } from '../log.js';
import { type Issuer, named, type Outcome } from './protocol.js';

const MAX_SESSIONS = 1_000;
const MAX_STEPS = 100;

/** A session, by its id or the traces by which the service may call it. */
export interface SessionRef {
  readonly sessionId: string;
  readonly traceIds: readonly string[];
}

/** Something that runs, or wants to: an operation, or a whole session. */
export interface Passenger {
  readonly sessionId: string | undefined;
  readonly traceId: string | undefined;
  /** The session of the process, where nothing names another. */
  readonly runId?: string | undefined;
  /** Whether a cancellation lasts until it has ended. */
  readonly isScope: boolean;
  /** Called when its session is cancelled. */
  cancel(reason: string): void;
  /** Called when it is held, with who holds it; the function is called when it goes on. */
  held(by: Issuer): (release: Release) => void;
}

/** How a hold ended. */
export interface Release {
  readonly verb: 'resume' | 'step' | 'cancel' | 'withdraw';
  readonly reason: string;
}

interface Rule {
  readonly names: Set<string>;
  pausedBy: Issuer | undefined;
  steps: number;
  /** What releases the operations that wait, oldest first. */
  readonly holds: Set<(release: Release) => void>;
  cancelReason: string | undefined;
  /** What ran when it was cancelled, and still runs. */
  cancelled: Set<Passenger>;
}

/** Holds and cancels operations. */
export class Gate {
  readonly #rules = new Map<string, Rule>();
  readonly #running = new Set<Passenger>();

  /** Count `passenger` as running, until the function is called. */
  enter(passenger: Passenger): () => void {
    this.#running.add(passenger);
    return () => {
      this.#running.delete(passenger);
      if (this.#rules.size > 0) this.#left(passenger);
    };
  }

  /**
   * Return whether an operation may begin: at once, after a hold, or, as a text, why not.
   *
   * Almost always nothing is held, and it returns at once.
   */
  pass(passenger: Passenger): true | string | Promise<true | string> {
    const rule = this.#rules.size > 0 ? this.#ruleOf(passenger) : undefined;
    if (rule === undefined) return true;
    if (rule.cancelReason !== undefined) return rule.cancelReason;
    const by = rule.pausedBy;
    if (by === undefined) return true;
    if (rule.steps > 0) {
      rule.steps -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const goesOn = passenger.held(by);
      const held = setInterval(() => {}, 60_000); // keeps the process alive
      const release = (end: Release) => {
        clearInterval(held);
        rule.holds.delete(release);
        goesOn(end);
        resolve(end.verb === 'cancel' ? end.reason : true);
      };
      rule.holds.add(release);
    });
  }

  pause(session: SessionRef, by: Issuer): Outcome {
    const rule = this.#rule(session);
    if (rule === undefined) return tooMany();
    const before = rule.pausedBy;
    rule.pausedBy ??= by;
    return { applied: true, reason: before ? `already paused by ${named(before)}` : null };
  }

  /** Let one operation start: the one that waits longest, else the next. */
  step(session: SessionRef, by: Issuer): Outcome {
    const rule = this.#rule(session);
    if (rule === undefined) return tooMany();
    rule.pausedBy ??= by;
    const [oldest] = rule.holds;
    if (oldest === undefined) {
      rule.steps = Math.min(rule.steps + 1, MAX_STEPS);
      return { applied: true, reason: 'the next operation may start' };
    }
    oldest({ verb: 'step', reason: `one step by ${named(by)}` });
    return { applied: true, reason: null };
  }

  resume(session: SessionRef, by: Issuer): Outcome {
    const rule = this.#find(session);
    if (rule?.pausedBy === undefined) return { applied: true, reason: 'not paused' };
    this.#unpause(rule, { verb: 'resume', reason: `resumed by ${named(by)}` });
    return { applied: true, reason: null };
  }

  /** Cancel what runs, and refuse what begins until it has ended. */
  cancel(session: SessionRef, by: Issuer): Outcome {
    const rule = this.#rule(session);
    if (rule === undefined) return tooMany();
    const wasPaused = rule.pausedBy !== undefined;
    const reason = `cancelled by ${named(by)}`;
    const running = [...this.#running].filter((one) => this.#ruleOf(one) === rule);
    rule.cancelReason = reason;
    rule.cancelled = new Set(running.filter((one) => one.isScope));
    this.#unpause(rule, { verb: 'cancel', reason });
    for (const one of running) one.cancel(reason);
    this.#tidy(rule);
    if (running.length > 0) return { applied: true, reason: null };
    return { applied: wasPaused, reason: 'nothing is running in this process' };
  }

  /** Let everything that is held go on: no operator is left. */
  releaseAll(why: string): void {
    for (const rule of new Set(this.#rules.values())) {
      if (rule.pausedBy === undefined) continue;
      warn('hold', `A session paused by ${named(rule.pausedBy)} resumes: ${why}.`);
      this.#unpause(rule, { verb: 'withdraw', reason: `it resumes: ${why}` });
    }
  }

  #left(passenger: Passenger): void {
    for (const rule of new Set(this.#rules.values())) {
      if (rule.cancelled.delete(passenger)) this.#tidy(rule);
    }
  }

  #unpause(rule: Rule, release: Release): void {
    const holds = [...rule.holds];
    rule.pausedBy = undefined;
    rule.steps = 0;
    for (const end of holds) end(release);
    this.#tidy(rule);
  }

  /** Drop a rule without effect. */
  #tidy(rule: Rule): void {
    if (rule.cancelled.size === 0) rule.cancelReason = undefined;
    if (rule.pausedBy !== undefined || rule.cancelReason !== undefined) return;
    for (const name of rule.names) {
      if (this.#rules.get(name) === rule) this.#rules.delete(name);
    }
  }

  #ruleOf({ sessionId, traceId, runId }: Passenger): Rule | undefined {
    const found = [sessionId, traceId, runId].find((name) => this.#rules.has(name ?? ''));
    return found === undefined ? undefined : this.#rules.get(found);
  }

  #find(session: SessionRef): Rule | undefined {
    const name = namesOf(session).find((one) => this.#rules.has(one));
    return name === undefined ? undefined : this.#rules.get(name);
  }

  /** Return the rule of a session, made if need be. */
  #rule(session: SessionRef): Rule | undefined {
    let rule = this.#find(session);
    if (rule === undefined) {
      if (new Set(this.#rules.values()).size >= MAX_SESSIONS) return undefined;
      rule = {
        names: new Set(),
        pausedBy: undefined,
        steps: 0,
        holds: new Set(),
        cancelReason: undefined,
        cancelled: new Set(),
      };
    }
    for (const name of namesOf(session)) {
      if (!this.#rules.has(name)) rule.names.add(name);
      this.#rules.set(name, rule);
    }
    return rule;
  }
}

function namesOf({ sessionId, traceIds }: SessionRef): string[] {
  return [sessionId, ...traceIds].filter((name) => name !== '');
}

function tooMany(): Outcome {
  return { applied: false, reason: `${MAX_SESSIONS} sessions are already paused or cancelled` };
}
