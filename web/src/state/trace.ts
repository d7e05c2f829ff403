/** The spans of one open session: its skeleton, kept current by the feed. */
import type { Api } from '../api/client.ts';
import type { Session, SpanRow, StreamEvent } from '../api/types.ts';
import { hasEnded, newerRow } from '../model/span-status.ts';
import { spanKey } from '../model/span-tree.ts';
import { Cell } from './cell.ts';
import { KeyedStore } from './keyed-store.ts';
import { failed, type LoadState } from './sessions.ts';

const FIRST_PAGE = 1000;
const PAGE = 20_000;

export interface Freeze {
  /** Local time. */
  readonly since_ms: number;
  /** Rows that changed since. */
  readonly behind: number;
}

export class Trace {
  readonly sessionId: string;
  readonly spans = new KeyedStore<SpanRow>();
  readonly session = new Cell<Session | undefined>(undefined);
  readonly epoch_ns = new Cell<string | undefined>(undefined);
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  /** Grows when rows came, went or belong elsewhere; not when one only changed. */
  readonly structure = new Cell(0);
  /** Keys of spans that wait for a person right now. */
  readonly waiting = new Cell<ReadonlySet<string>>(new Set());
  /** How many moments (decisions, progress, questions) the stream told of a span. */
  readonly told = new KeyedStore<number>();
  readonly freeze = new Cell<Freeze | undefined>(undefined);
  /** Where the session went, when it was merged into another; null when it was deleted. */
  readonly moved = new Cell<{ readonly to: string | null } | undefined>(undefined);
  private readonly api: Api;
  private readonly held = new Map<string, SpanRow>();
  private loading: AbortController | undefined;
  /** Keys that a load in progress, or the feed meanwhile, has confirmed. */
  private confirmed = new Set<string>();

  constructor(sessionId: string, api: Api) {
    this.sessionId = sessionId;
    this.api = api;
  }

  /** Read the whole skeleton. Call when the feed covers the session, and again after a gap. */
  async load(): Promise<void> {
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    try {
      const session = await this.api.session(this.sessionId, loading.signal);
      if (session.id !== this.sessionId) {
        this.moved.set({ to: session.id });
        return;
      }
      this.session.set(session);
      await this.loadPages(loading.signal);
      this.state.set({ kind: 'ready' });
    } catch (error) {
      if (!loading.signal.aborted) this.state.set(failed(error));
    }
  }

  private async loadPages(signal: AbortSignal): Promise<void> {
    this.confirmed = new Set();
    let cursor: string | undefined;
    do {
      // A short page to paint at once, then as much as the service gives.
      const wanted = cursor === undefined ? { limit: FIRST_PAGE } : { cursor, limit: PAGE };
      const page = await this.api.spans(this.sessionId, wanted, signal);
      if (signal.aborted) return;
      this.epoch_ns.set(page.epoch_ns);
      this.merge(page.spans);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const gone = [...this.spans.keys()].filter((key) => !this.confirmed.has(key));
    if (gone.length === 0) return;
    this.spans.commit(gone.map((key) => [key, undefined] as const));
    this.structure.set(this.structure.get() + 1);
  }

  close(): void {
    this.loading?.abort();
  }

  apply(events: readonly StreamEvent[]): void {
    const rows: SpanRow[] = [];
    const waiting = new Set(this.waiting.get());
    const told = new Map<string, number>();
    for (const event of events) {
      // Some of our spans belong to that session now.
      if (event.type === 'SessionUpdated' && event.moved_from === this.sessionId) void this.load();
      if (!('session_id' in event) || event.session_id !== this.sessionId) continue;
      switch (event.type) {
        case 'SessionStarted':
        case 'SessionUpdated':
        case 'SessionFinished':
          this.session.set(event.session);
          break;
        case 'SessionDeleted':
          this.moved.set({ to: event.moved_to ?? null });
          break;
        case 'SpanStarted':
        case 'SpanUpdated':
        case 'SpanEnded':
          rows.push(event.span);
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
        told.set(key, (told.get(key) ?? this.told.get(key) ?? 0) + 1);
      }
    }
    if (this.freeze.get() === undefined) this.told.commit(told);
    if (!isSame(waiting, this.waiting.get())) this.waiting.set(waiting);
    if (rows.length > 0) this.merge(rows);
  }

  /** Keep the picture as it is until `thaw`; what arrives is held back, newest version only. */
  hold(now_ms: number): void {
    this.freeze.set({ since_ms: now_ms, behind: 0 });
  }

  thaw(): void {
    this.freeze.set(undefined);
    const rows = [...this.held.values()];
    this.held.clear();
    this.merge(rows);
  }

  private merge(rows: readonly SpanRow[]): void {
    for (const row of rows) this.confirmed.add(spanKey(row));
    const freeze = this.freeze.get();
    if (freeze !== undefined) {
      for (const row of rows) {
        const key = spanKey(row);
        this.held.set(key, newerRow(this.held.get(key), row));
      }
      this.freeze.set({ ...freeze, behind: this.held.size });
      return;
    }
    const changes = new Map<string, SpanRow>();
    let isNewStructure = false;
    for (const row of rows) {
      const key = spanKey(row);
      const known = changes.get(key) ?? this.spans.get(key);
      const newer = newerRow(known, row);
      changes.set(key, newer);
      isNewStructure ||=
        known === undefined ||
        known.parent_span_id !== newer.parent_span_id ||
        known.offset_ns !== newer.offset_ns;
    }
    this.spans.commit(changes);
    if (isNewStructure) this.structure.set(this.structure.get() + 1);
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((key) => b.has(key));
}
