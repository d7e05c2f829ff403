/** Spans of one open session: its skeleton, updated by the feed. */
import type { Api } from '../api/client.ts';
import type { Session, SpanRow, SpanSkeleton, StreamEvent } from '../api/types.ts';
import { SessionTally } from '../model/sessions/session-tally.ts';
import { SpanForest } from '../model/trace/span-forest.ts';
import { spanKey } from '../model/trace/span-key.ts';
import { firstCause, hasEnded, newerRow } from '../model/trace/span-status.ts';
import { Cell } from './cell.ts';
import { KeyedStore } from './keyed-store.ts';
import { failed, type LoadState } from './sessions.ts';

/** Sizes of pages: a short first one to paint at once, then as much as fits into a frame. */
const FIRST_PAGE = 500;
const PAGE = 5000;
/** Pause in which the first page is painted, before the others are asked for. */
const PAINT_MS = 30;

/**
 * Spans for each millisecond of pause between two arrangements: about ten times the time of one.
 */
const SPANS_A_MS = 400;
/** Least pause: the feed comes once per frame. */
const FRAME_MS = 16;

export interface Freeze {
  /** Local time of the freeze. */
  readonly since_ms: number;
  /** Number of rows that changed since. */
  readonly behind: number;
}

export class Trace {
  readonly sessionId: string;
  readonly spans = new KeyedStore<SpanRow>();
  /** The spans as trees, and facts about all of them: read them when `spans` change. */
  forest = new SpanForest();
  tally = new SessionTally();
  readonly session = new Cell<Session | undefined>(undefined);
  readonly epoch_ns = new Cell<string | undefined>(undefined);
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  /** Whether an answer is on its way, also after one that failed. */
  readonly isReading = new Cell(false);
  /** Incremented when rows come, go or move; not when a row only changes. */
  readonly structure = new Cell(0);
  readonly errorCount = new Cell(0);
  /** Changes when a span begins or ends. */
  readonly running = new Cell(0);
  /** Keys of spans that wait for a person right now. */
  readonly waiting = new Cell<ReadonlySet<string>>(new Set());
  /** Number of decisions, progress reports and questions that the stream had for a span. */
  readonly momentCounts = new KeyedStore<number>();
  readonly freeze = new Cell<Freeze | undefined>(undefined);
  /** Session that this one was merged into; null when it was deleted. */
  readonly moved = new Cell<{ readonly to: string | null } | undefined>(undefined);
  /** The instant that it is shown at, an offset; undefined: all that is known (`PastTrace`). */
  readonly at_ns = new Cell<number | undefined>(undefined);
  readonly api: Api;
  private readonly deferred = new Map<string, SpanRow>();
  /** Keys of rows from before a gap of the feed, which any version replaces. */
  private outdated = new Set<string>();
  private isSessionOutdated = false;
  /** Change of the last move of spans to another session: which older rows are left, a load says. */
  private moved_change = 0;
  private loading: AbortController | undefined;
  /** Keys from before the load in progress that neither it nor the feed has had since. */
  private unconfirmed: Set<string> | undefined;
  /** Number of spans at the last arrangement, and whether the structure changed since. */
  private arranged = 0;
  private isBehind = false;
  private arranging: ReturnType<typeof setTimeout> | undefined;
  private arranged_ms = Number.NEGATIVE_INFINITY;

  constructor(sessionId: string, api: Api) {
    this.sessionId = sessionId;
    this.api = api;
  }

  /** All that is known of the session, whatever instant this is shown at: what to fetch is there. */
  get whole(): Trace {
    return this;
  }

  /** The cause to read first: the one that the session's row tells, else as the spans tell it. */
  firstCause(): SpanRow | undefined {
    const { errors } = this.tally;
    return errors.get(this.session.get()?.cause_span ?? '') ?? firstCause(errors.values());
  }

  /** Read the whole skeleton. Call when the feed covers the session, and again after a gap. */
  async load(): Promise<void> {
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    this.isReading.set(true);
    try {
      const session = await this.api.session(this.sessionId, loading.signal);
      if (session.id !== this.sessionId) {
        this.moved.set({ to: session.id });
        return;
      }
      this.takeSession(session);
      await this.loadPages(loading.signal);
      this.state.set({ kind: 'ready' });
    } catch (error) {
      if (!loading.signal.aborted) this.state.set(failed(error));
    } finally {
      if (this.loading === loading) this.isReading.set(false);
    }
  }

  /** Read it once more, unless that is under way. */
  retry(): void {
    if (!this.isReading.get()) void this.load();
  }

  private async loadPages(signal: AbortSignal): Promise<void> {
    const unconfirmed = new Set(this.spans.keys());
    this.unconfirmed = unconfirmed;
    try {
      await this.readPages(signal);
    } finally {
      // Another load may have begun meanwhile: it goes on.
      if (this.unconfirmed === unconfirmed) {
        this.unconfirmed = undefined;
        if (this.isBehind) this.arrange();
        this.errorCount.set(this.tally.errors.size);
      }
    }
    this.drop([...unconfirmed]);
  }

  private async readPages(signal: AbortSignal): Promise<void> {
    const { next_cursor: cursor, read } = await this.api.spans(
      this.sessionId,
      { limit: FIRST_PAGE },
      signal,
    );
    this.take(await read(), signal);
    if (cursor === undefined) return;
    await new Promise((done) => setTimeout(done, PAINT_MS));
    const others = await this.api.spansAfter(this.sessionId, { cursor, limit: PAGE }, signal);
    for await (const page of others) this.take(page, signal);
  }

  private take({ epoch_ns, spans }: SpanSkeleton, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.epoch_ns.set(epoch_ns);
    this.merge(spans);
  }

  private drop(gone: readonly string[]): void {
    if (gone.length === 0) return;
    this.spans.commit(gone.map((key) => [key, undefined] as const));
    this.forest = new SpanForest();
    this.tally = new SessionTally();
    for (const span of this.spans.values()) this.count(span, spanKey(span));
    this.running.set(this.tally.runningVersion);
    this.arrange(); // At once: numbers are others.
  }

  /** The feed had a gap, perhaps another store: whatever comes now replaces what was known. */
  reload(): Promise<void> {
    this.outdated = new Set(this.spans.keys());
    this.isSessionOutdated = true;
    this.moved_change = 0;
    this.deferred.clear();
    return this.load();
  }

  private takeSession(session: Session): void {
    this.session.set(newerRow(this.isSessionOutdated ? undefined : this.session.get(), session));
    this.isSessionOutdated = false;
  }

  close(): void {
    this.loading?.abort();
    clearTimeout(this.arranging);
  }

  apply(events: readonly StreamEvent[]): void {
    const rows: SpanRow[] = [];
    const waiting = new Set(this.waiting.get());
    const counts = new Map<string, number>();
    for (const event of events) {
      if (event.type === 'SessionUpdated' && event.moved_from === this.sessionId) {
        this.loadAfterMove(event.moved_change ?? 0);
      }
      if (!('session_id' in event) || event.session_id !== this.sessionId) continue;
      switch (event.type) {
        case 'SessionStarted':
        case 'SessionUpdated':
        case 'SessionFinished':
          this.takeSession(event.session);
          break;
        case 'SessionDeleted':
          // Not one that began anew under the same id.
          if ((this.session.get()?.change ?? 0) < event.change) {
            this.moved.set({ to: event.moved_to ?? null });
          }
          break;
        case 'SpanStarted':
        case 'SpanUpdated':
        case 'SpanEnded':
          // Not one that moved away before.
          if (event.span.change > this.moved_change || this.spans.get(spanKey(event.span))) {
            rows.push(event.span);
          }
          if (hasEnded(event.span.status)) waiting.delete(spanKey(event.span));
          break;
        case 'WaitingOnSignal':
          if (event.span_id !== null) waiting.add(`${event.trace_id}.${event.span_id}`);
          break;
        case 'SignalReceived':
          waiting.delete(`${event.trace_id}.${event.span_id}`);
      }
      if ('span_id' in event && event.span_id != null) {
        const key = `${event.trace_id}.${event.span_id}`;
        counts.set(key, (counts.get(key) ?? this.momentCounts.get(key) ?? 0) + 1);
      }
    }
    if (this.freeze.get() === undefined) this.momentCounts.commit(counts);
    if (!isSame(waiting, this.waiting.get())) this.waiting.set(waiting);
    if (rows.length > 0) this.merge(rows);
  }

  /** Some of our spans belong to another session now. */
  private loadAfterMove(change: number): void {
    if (change <= this.moved_change) return;
    this.moved_change = change;
    this.deferred.clear();
    void this.load();
  }

  /** Freeze the view until `thaw`; incoming rows are held back, only their newest versions. */
  hold(now_ms: number): void {
    this.freeze.set({ since_ms: now_ms, behind: 0 });
  }

  thaw(): void {
    this.freeze.set(undefined);
    const rows = [...this.deferred.values()];
    this.deferred.clear();
    this.merge(rows);
  }

  private merge(rows: readonly SpanRow[]): void {
    const freeze = this.freeze.get();
    if (freeze !== undefined) {
      for (const row of rows) {
        const key = this.confirm(row);
        this.deferred.set(key, newerRow(this.deferred.get(key), row));
      }
      this.freeze.set({ ...freeze, behind: this.deferred.size });
      return;
    }
    this.spans.commit(this.newer(rows));
    this.running.set(this.tally.runningVersion);
    if (this.isBehind) this.restructure();
    // While pages arrive only with their rows: each view of errors reads all of them.
    if (this.unconfirmed === undefined) this.errorCount.set(this.tally.errors.size);
  }

  /** Count the rows that are newer than those known; each is known before the next is asked for. */
  private *newer(rows: readonly SpanRow[]): Generator<readonly [string, SpanRow]> {
    for (const row of rows) {
      const key = this.confirm(row);
      const known = this.outdated.delete(key) ? undefined : this.spans.get(key);
      const newer = newerRow(known, row);
      if (newer === known) continue;
      if (this.count(newer, key)) this.isBehind = true;
      yield [key, newer];
    }
  }

  /** Note that a row is still there; return its key. */
  private confirm(row: SpanRow): string {
    // A key is made once a row: made anew, it is hashed anew wherever it is looked up.
    const key = spanKey(row);
    if (this.unconfirmed !== undefined && this.unconfirmed.size > 0) this.unconfirmed.delete(key);
    return key;
  }

  /**
   * Arrange all rows anew. It takes time, so with many spans not after every change, and while
   * pages arrive only when there are four times as many.
   */
  private restructure(): void {
    if (this.unconfirmed !== undefined && this.spans.size < 4 * this.arranged) return;
    const pause_ms = this.spans.size / SPANS_A_MS;
    const left_ms = this.arranged_ms + pause_ms - performance.now();
    if (this.unconfirmed !== undefined || pause_ms < FRAME_MS || left_ms <= 0) this.arrange();
    else this.arranging ??= setTimeout(() => this.arrange(), left_ms);
  }

  private arrange(): void {
    clearTimeout(this.arranging);
    this.arranging = undefined;
    this.isBehind = false;
    this.arranged = this.spans.size;
    this.arranged_ms = performance.now();
    this.errorCount.set(this.tally.errors.size);
    this.structure.set(this.structure.get() + 1);
  }

  /** Add a row to the counts; return whether the structure changes. */
  private count(row: SpanRow, key: string): boolean {
    this.tally.put(row, key);
    return this.forest.put(row, key);
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((key) => b.has(key));
}
