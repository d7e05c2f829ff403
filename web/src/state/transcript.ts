/**
 * Readings of spans for the transcript, requested when they come into view and when they change.
 */
import type { Api } from '../api/client.ts';
import type { Reading, SpanRow } from '../api/types.ts';
import { hasEnded } from '../model/trace/span-status.ts';
import { Cell } from './cell.ts';
import { KeyedStore } from './keyed-store.ts';
import { pause_ms } from './passing.ts';
import { StateSteps } from './state-steps.ts';

/** A span in view, with the LLM call before it. */
export interface Wanted {
  readonly key: string;
  readonly row: SpanRow;
  readonly before: string | undefined;
  /** Number of its decisions, progress reports and questions in the stream. */
  readonly momentCount: number;
}

export interface Read {
  readonly reading: Reading;
  /** The requested version of the span. */
  readonly of: Wanted;
}

/** What was read, and what could not be. */
export interface ReadingStores {
  readonly reads: KeyedStore<Read>;
  /** Error of the last request. */
  readonly problem: Cell<string | undefined>;
  /** What captured states changed; of one that is past, too. */
  readonly states: StateSteps;
}

const MAX_REQUESTED = 40;
const MAX_CACHED = 4000;
/** Least time between two requests: one who scrolls wants others with every frame. */
const PAUSE_MS = 100;
/** Least time between two requests for a running span. */
const REFRESH_MS = 250;
const RETRY_MS = 3000;

export class Readings implements ReadingStores {
  readonly reads = new KeyedStore<Read>();
  readonly problem = new Cell<string | undefined>(undefined);
  readonly states: StateSteps;
  private readonly api: Api;
  private readonly sessionId: string;
  private readonly now_ms: () => number;
  private wanted: readonly Wanted[] = [];
  private readonly requested = new Map<string, { readonly one: Wanted; readonly at_ms: number }>();
  private loading: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  /** Time of the last request after which the next one pauses. */
  private requested_ms = Number.NEGATIVE_INFINITY;

  constructor(sessionId: string, api: Api, now_ms: () => number = () => Date.now()) {
    this.sessionId = sessionId;
    this.api = api;
    this.now_ms = now_ms;
    this.states = new StateSteps(sessionId, api);
  }

  /** Request these, the most wanted first; earlier wants that are still open are dropped. */
  want(wanted: readonly Wanted[]): void {
    this.wanted = wanted;
    void this.pump();
  }

  close(): void {
    this.wanted = [];
    this.states.close();
    this.loading?.abort();
    clearTimeout(this.timer);
  }

  /**
   * Send one request at a time, so that what is in view now never waits behind what was in view.
   */
  private async pump(): Promise<void> {
    if (this.loading !== undefined) return;
    clearTimeout(this.timer);
    const due = this.due();
    if (due.length === 0) return;
    const at_ms = this.now_ms();
    const isFailing = this.failures > 0;
    const early_ms = this.requested_ms + (isFailing ? pause_ms(this.failures) : PAUSE_MS) - at_ms;
    if (early_ms > 0 && (isFailing || due.length < MAX_REQUESTED)) {
      this.timer = setTimeout(() => void this.pump(), early_ms);
      return;
    }
    this.requested_ms = at_ms;
    const loading = new AbortController();
    this.loading = loading;
    for (const one of due) this.requested.set(one.key, { one, at_ms });
    try {
      const spans = due.map(({ key, before }) => (before === undefined ? key : `${key}~${before}`));
      const answer = await this.api.transcript(this.sessionId, spans, loading.signal);
      if (loading.signal.aborted) return;
      this.failures = 0;
      this.problem.set(undefined);
      this.take(due, answer.readings);
      // There was no room for those: they come first the next time.
      for (const span of answer.left_out) this.requested.delete(span.split('~')[0] ?? '');
      if (answer.left_out.length > 0) this.requested_ms = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (loading.signal.aborted) return;
      this.problem.set(error instanceof Error ? error.message : String(error));
      this.failures += 1;
      for (const { key } of due) this.requested.delete(key);
    }
    this.loading = undefined;
    void this.pump();
  }

  /** Spans to request now; sets a timer for those to request later. */
  private due(): Wanted[] {
    const now_ms = this.now_ms();
    let soonest_ms = Number.POSITIVE_INFINITY;
    const found: Wanted[] = [];
    for (const one of this.wanted) {
      const known = this.reads.get(one.key);
      if (known !== undefined && isSame(known.of, one)) continue;
      const before = this.requested.get(one.key);
      const at_ms = before === undefined ? 0 : before.at_ms + leastPause_ms(before.one, one);
      if (at_ms <= now_ms) found.push(one);
      else soonest_ms = Math.min(soonest_ms, at_ms);
      if (found.length === MAX_REQUESTED) return found;
    }
    if (found.length === 0 && soonest_ms < Number.POSITIVE_INFINITY) {
      this.timer = setTimeout(() => void this.pump(), soonest_ms - now_ms);
    }
    return found;
  }

  private take(due: readonly Wanted[], readings: readonly Reading[]): void {
    const byKey = new Map(due.map((one) => [one.key, one]));
    const changes: [string, Read][] = [];
    for (const reading of readings) {
      const one = byKey.get(`${reading.trace_id}.${reading.span_id}`);
      if (one !== undefined) changes.push([one.key, { reading, of: one }]);
    }
    this.reads.commit(changes);
    const excess = this.reads.size - MAX_CACHED;
    if (excess <= 0) return;
    const needed = new Set(this.wanted.map(({ key }) => key));
    const old = [...this.reads.keys()].filter((key) => !needed.has(key)).slice(0, excess);
    for (const key of old) this.requested.delete(key);
    this.reads.commit(old.map((key) => [key, undefined] as const));
  }
}

function isSame(a: Wanted, b: Wanted): boolean {
  return a.row === b.row && a.before === b.before && a.momentCount === b.momentCount;
}

/** Time after a request for `before` until one for `now` may follow. */
function leastPause_ms(before: Wanted, now: Wanted): number {
  // The same once more: it is not there yet.
  if (isSame(before, now)) return RETRY_MS;
  return hasEnded(now.row.status) ? 0 : REFRESH_MS;
}
