/** Filter of the session list. The service evaluates it: the page does not parse queries. */
import type { Api } from '../api/client.ts';
import type { StreamEvent } from '../api/types.ts';
import { NEWEST_FIRST, type Sort } from '../model/sessions/session-order.ts';
import { ALL_TIME, type TimeRange, timeRangeText } from '../model/sessions/time-range.ts';
import { Cell } from './cell.ts';
import { EVERYTHING, type Listing, Sessions } from './sessions.ts';

/** Pause after the last key before a request. */
const TYPING_MS = 250;
/** Pause between requests after changes: a changed session may match now, or no longer. */
const AGAIN_MS = 1000;

export interface Timers {
  set(callback: () => void, delay_ms: number): number;
  clear(timer: number): void;
}

export class SessionFilter {
  /** The sessions to show: those of the previous query until the new one is answered. */
  readonly shown: Cell<Sessions>;
  readonly isAsking = new Cell(false);
  /** The query that the service refused; the previous sessions stay shown. */
  readonly refused = new Cell<Sessions | undefined>(undefined);
  private readonly all: Sessions;
  private readonly api: Api;
  private readonly timers: Timers;
  private listing: Listing = EVERYTHING;
  private readonly now_ms: () => number;
  private current: Sessions;
  private typing: number | undefined;
  private again: number | undefined;
  private isFirst = true;

  constructor(all: Sessions, api: Api, timers: Timers, now_ms: () => number = () => Date.now()) {
    this.now_ms = now_ms;
    this.all = all;
    this.api = api;
    this.timers = timers;
    this.current = all;
    this.shown = new Cell(all);
  }

  /** Show the sessions that match `query` in a time range, sorted; by default the newest first. */
  ask(query: string, sort: Sort = NEWEST_FIRST, range: TimeRange = ALL_TIME): void {
    const listing = { query: query.trim(), sort, range };
    const before = this.listing;
    if (isSame(listing, before)) {
      this.isFirst = false;
      return;
    }
    this.listing = listing;
    this.stop();
    this.refused.set(undefined);
    if (isSame(listing, EVERYTHING)) {
      this.current = this.all;
      this.shown.set(this.all);
      this.isAsking.set(false);
      return;
    }
    this.isAsking.set(true);
    if (this.isFirst) {
      // Nothing was shown before that could stay, and nobody types: the address asks.
      this.isFirst = false;
      const sessions = new Sessions(this.api, listing, this.now_ms);
      this.shown.set(sessions);
      void this.start(sessions);
      return;
    }
    const delay_ms = listing.query === before.query ? 0 : TYPING_MS;
    this.typing = this.timers.set(
      () => void this.start(new Sessions(this.api, listing, this.now_ms)),
      delay_ms,
    );
  }

  /** Read the shown sessions again: the feed had a gap. */
  reload(): void {
    if (this.current !== this.all) void this.current.reload();
  }

  apply(events: readonly StreamEvent[]): void {
    const current = this.current;
    // Without a query, what came is known to fit.
    if (current === this.all || !current.apply(events) || current.query === '') return;
    this.again ??= this.timers.set(() => {
      this.again = undefined;
      if (this.current === current) void current.load();
    }, AGAIN_MS);
  }

  private async start(sessions: Sessions): Promise<void> {
    this.current = sessions;
    await sessions.load();
    if (this.current !== sessions) return;
    this.isAsking.set(false);
    const state = sessions.state.get();
    if (state.kind === 'failed' && typeof state.problem?.position === 'number') {
      if (this.shown.get() === sessions) this.shown.set(this.all);
      this.refused.set(sessions);
    } else {
      this.shown.set(sessions);
    }
  }

  private stop(): void {
    for (const timer of [this.typing, this.again])
      if (timer !== undefined) this.timers.clear(timer);
    this.typing = this.again = undefined;
    this.current = this.all;
  }
}

function isSame(a: Listing, b: Listing): boolean {
  return (
    a.query === b.query && a.sort === b.sort && timeRangeText(a.range) === timeRangeText(b.range)
  );
}
