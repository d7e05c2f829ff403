/** The sessions that the list shows: pages from `GET /sessions`, kept current by the feed. */
import { type Api, ApiError } from '../api/client.ts';
import type { IndexState, Problem, Session, SessionList, StreamEvent } from '../api/types.ts';
import { compareNewestFirst } from '../model/session-order.ts';
import { Cell } from './cell.ts';
import { KeyedStore } from './keyed-store.ts';

export type LoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly status: number;
      /** Of what was asked: where it is wrong. */
      readonly problem?: Problem;
    };

const PAGE_SIZE = 200;
/** With a query, pages may be short: so many are read before what was found is shown. */
const MOST_PAGES = 10;

export class Sessions {
  readonly rows = new KeyedStore<Session>();
  /** Ids, newest first. A new array when a session came or went. */
  readonly order = new Cell<readonly string[]>([]);
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  /** How far the service's index is; undefined without a query. */
  index: IndexState | undefined;
  readonly query: string;
  private readonly api: Api;
  private nextCursor: string | null = null;
  private isLoadingMore = false;

  constructor(api: Api, query = '') {
    this.api = api;
    this.query = query;
  }

  /** Read the first page and forget what it does not confirm. Call when the feed covers us. */
  async load(): Promise<void> {
    await this.attempt(async () => {
      const page = await this.read(undefined, this.query === '' ? 0 : this.order.get().length);
      const ids = new Set(page.sessions.map((session) => session.id));
      const gone = [...this.rows.keys()].filter((id) => !ids.has(id));
      this.commit(page.sessions, gone);
      this.nextCursor = page.next_cursor;
    });
  }

  get hasMore(): boolean {
    return this.nextCursor !== null;
  }

  async loadMore(): Promise<void> {
    const cursor = this.nextCursor;
    if (cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    await this.attempt(async () => {
      const page = await this.read(cursor, 0);
      // A row that the feed brought in the meantime is at least as new.
      this.commit(
        page.sessions.filter((session) => this.rows.get(session.id) === undefined),
        [],
      );
      this.nextCursor = page.next_cursor;
    });
    this.isLoadingMore = false;
  }

  /** Take changes in; return whether a session came, changed or went. */
  apply(events: readonly StreamEvent[]): boolean {
    const rows = new Map<string, Session>();
    const gone = new Set<string>();
    for (const event of events) {
      switch (event.type) {
        case 'SessionUpdated':
        case 'SessionStarted':
        case 'SessionFinished':
          rows.set(event.session.id, event.session);
          gone.delete(event.session.id);
          break;
        case 'SessionDeleted':
          rows.delete(event.session_id);
          gone.add(event.session_id);
      }
    }
    this.commit(
      [...rows.values()].filter((session) => this.isInLoadedPart(session)),
      [...gone],
    );
    return rows.size + gone.size > 0;
  }

  /** Read on from `cursor`: a page, or as many as `least` sessions take. */
  private async read(cursor: string | undefined, least: number): Promise<SessionList> {
    const wanted = this.query === '' ? 0 : Math.max(least, PAGE_SIZE);
    const sessions: Session[] = [];
    let next = cursor;
    for (let pages = 1; ; pages += 1) {
      const page = await this.api.sessions({
        limit: PAGE_SIZE,
        ...(next === undefined ? {} : { cursor: next }),
        ...(this.query === '' ? {} : { q: this.query }),
      });
      sessions.push(...page.sessions);
      this.index = page.index ?? undefined;
      if (page.next_cursor === null || sessions.length >= wanted || pages >= MOST_PAGES) {
        return { ...page, sessions };
      }
      next = page.next_cursor;
    }
  }

  /** Older than the last page that was read: it comes with its page. */
  private isInLoadedPart(session: Session): boolean {
    // Whether a new one fits the query is not known here.
    if (this.query !== '') return this.rows.get(session.id) !== undefined;
    if (this.nextCursor === null || this.rows.get(session.id) !== undefined) return true;
    const last = this.rows.get(this.order.get().at(-1) ?? '');
    return last === undefined || compareNewestFirst(session, last) < 0;
  }

  private commit(sessions: readonly Session[], gone: readonly string[]): void {
    const isNewOrder =
      gone.some((id) => this.rows.get(id) !== undefined) ||
      sessions.some((session) => this.rows.get(session.id)?.epoch_ns !== session.epoch_ns);
    this.rows.commit([
      ...gone.map((id) => [id, undefined] as const),
      ...sessions.map((session) => [session.id, session] as const),
    ]);
    if (!isNewOrder) return;
    const sorted = [...this.rows.values()].sort(compareNewestFirst);
    this.order.set(sorted.map((session) => session.id));
  }

  private async attempt(load: () => Promise<void>): Promise<void> {
    try {
      await load();
      this.state.set({ kind: 'ready' });
    } catch (error) {
      this.state.set(failed(error));
    }
  }
}

export function failed(error: unknown): LoadState {
  const message = error instanceof Error ? error.message : String(error);
  const status =
    typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 0;
  const problem = error instanceof ApiError ? error.problem : undefined;
  return { kind: 'failed', message, status, ...(problem === undefined ? {} : { problem }) };
}
