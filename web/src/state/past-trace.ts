/** A session as it was at an instant, from the rows of its trace: nothing is fetched for it. */
import type { Session, SpanRow } from '../api/types.ts';
import { SessionTally } from '../model/sessions/session-tally.ts';
import { Moments, rowAt } from '../model/trace/instant.ts';
import { SpanForest } from '../model/trace/span-forest.ts';
import { waitsSince } from '../model/trace/span-status.ts';
import { Trace } from './trace.ts';

/** Rows for each millisecond of pause between two readings of a session that still changes. */
const ROWS_A_MS = 400;
const LEAST_PAUSE_MS = 100;

export class PastTrace extends Trace {
  private readonly live: Trace;
  private moments: Moments;
  /** Number of spans in the forest: those that have begun. */
  private begun = 0;
  private reading: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: readonly (() => void)[];

  /** `moments`: those of the spans as they are, if they were read before. */
  constructor(live: Trace, at_ns: number, moments?: Moments) {
    super(live.sessionId, live.api);
    this.live = live;
    this.moments = moments ?? momentsOf(live);
    this.at_ns.set(at_ns);
    this.readLive();
    const readRows = () => {
      this.reading ??= setTimeout(
        () => this.readRows(momentsOf(live)),
        Math.max(LEAST_PAUSE_MS, live.spans.size / ROWS_A_MS),
      );
    };
    const readLive = () => this.readLive();
    this.stops = [
      live.spans.subscribe(readRows),
      ...[live.session, live.state, live.epoch_ns, live.moved].map((cell) =>
        cell.subscribe(readLive),
      ),
    ];
    this.readRows(this.moments);
  }

  override get whole(): Trace {
    return this.live;
  }

  override close(): void {
    super.close();
    clearTimeout(this.reading);
    for (const stop of this.stops) stop();
  }

  /** Go to an instant: the rows that changed on the way there are read, and no others. */
  show(at_ns: number): void {
    const before_ns = this.at_ns.get() ?? at_ns;
    if (at_ns === before_ns) return;
    this.at_ns.set(at_ns);
    this.change(this.moments.changedBetween(before_ns, at_ns), at_ns);
  }

  /** The nearest moment before an instant, or after it, at which something begins or ends. */
  momentBeside(at_ns: number, step: 1 | -1): number | undefined {
    return step === 1 ? this.moments.after(at_ns) : this.moments.before(at_ns);
  }

  /** Read all rows anew: at first, and when the session has changed meanwhile. */
  private readRows(moments: Moments): void {
    this.reading = undefined;
    this.moments = moments;
    const { rows, keys } = this.moments;
    this.forest = new SpanForest();
    this.tally = new SessionTally();
    this.begun = 0;
    if (this.spans.size > 0) {
      const known = new Set(keys);
      const gone = [...this.spans.keys()].filter((key) => !known.has(key));
      this.spans.commit(gone.map((key) => [key, undefined] as const));
    }
    this.change(rows.keys(), this.at_ns.get() ?? 0);
    this.structure.set(this.structure.get() + 1);
  }

  private change(numbers: Iterable<number>, at_ns: number): void {
    const begun = this.moments.begunAt(at_ns);
    const isOther = begun !== this.begun;
    this.forest.truncate(Math.min(begun, this.begun));
    for (let number = this.begun; number < begun; number += 1) {
      const row = this.moments.rows[number];
      if (row !== undefined) this.forest.put(row, this.moments.keys[number]);
    }
    this.begun = begun;
    const version = this.tally.runningVersion;
    this.spans.commit(this.changed(numbers, at_ns));
    if (isOther || version !== this.tally.runningVersion) {
      this.running.set(this.running.get() + 1);
    }
    this.errorCount.set(this.tally.errors.size);
    const waiting = [...this.tally.running].filter(([, row]) => waitsSince(row) !== undefined);
    if (waiting.length > 0 || this.waiting.get().size > 0) {
      this.waiting.set(new Set(waiting.map(([key]) => key)));
    }
    if (isOther) this.structure.set(this.structure.get() + 1);
  }

  private *changed(
    numbers: Iterable<number>,
    at_ns: number,
  ): Generator<readonly [string, SpanRow | undefined]> {
    for (const number of numbers) {
      const whole = this.moments.rows[number];
      const key = this.moments.keys[number];
      if (whole === undefined || key === undefined) continue;
      const row = rowAt(whole, at_ns);
      if (row === undefined) this.tally.drop(key);
      else this.tally.put(row, key);
      yield [key, row];
    }
  }

  private readLive(): void {
    const { session, state, epoch_ns, moved } = this.live;
    this.session.set(runningSession(session.get()));
    this.state.set(state.get());
    this.epoch_ns.set(epoch_ns.get());
    this.moved.set(moved.get());
  }
}

function momentsOf({ spans }: Trace): Moments {
  return Moments.of([...spans.entries()]);
}

/** A session before its end; its names and numbers have no time of their own. */
function runningSession(session: Session | undefined): Session | undefined {
  if (session === undefined) return undefined;
  return {
    ...session,
    status: 'running',
    ended_at: null,
    cause: null,
    cause_key: null,
    cause_span: null,
    answer: null,
    waiting_since: null,
    paused_since: null,
  };
}
