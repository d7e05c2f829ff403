/** Sessions of the list: pages from `GET /sessions`, updated by the feed. */
import { type Api, ApiError } from '../api/client.ts';
import type {
  IndexState,
  Problem,
  Session,
  SessionList,
  StreamEvent,
  Unsearched,
} from '../api/types.ts';
import {
  comparePlaces,
  NEWEST_FIRST,
  type Sort,
  type SortValue,
  sortKey,
  sortValue,
} from '../model/sessions/session-order.ts';
import { ALL_TIME, boundsOf, isWithin, type TimeRange } from '../model/sessions/time-range.ts';
import { newerRow } from '../model/trace/span-status.ts';
import { Cell } from './cell.ts';
import { KeyedStore } from './keyed-store.ts';

export type LoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly status: number;
      /** Details of a refused query: where it is wrong. */
      readonly problem?: Problem;
    };

/** Query, order and time range of the list. */
export interface Listing {
  readonly query: string;
  readonly sort: Sort;
  readonly range: TimeRange;
}

/** Number of sessions that a listing finds. */
export interface Total {
  readonly count: number;
  /** Whether there are more: each has to be looked at, and that would take too long. */
  readonly isLeast: boolean;
}

export const EVERYTHING: Listing = { query: '', sort: NEWEST_FIRST, range: ALL_TIME };

const PAGE_SIZE = 200;
/** Limit of pages that are read before results are shown: with a query, pages may be short. */
const MOST_PAGES = 10;
/** Limits of a count for which the service has to look at each session. */
const MOST_COUNTED = 10_000;
const MOST_COUNT_PAGES = 25;
const NOTHING: readonly Unsearched[] = [];
/** Limit of deletions that are remembered, against older versions that come after them. */
const MOST_DELETIONS = 10_000;

export class Sessions {
  readonly rows = new KeyedStore<Session>();
  /** Ids in order. A new array when a session came, went or moved. */
  readonly order = new Cell<readonly string[]>([]);
  /** Whether any session had a user. */
  readonly hasUsers = new Cell(false);
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  /** Undefined until it is counted. */
  readonly total = new Cell<Total | undefined>(undefined);
  /** Progress of the service's index; undefined without a query. */
  index: IndexState | undefined;
  /** What the rows leave out: nothing, once a whole answer came. */
  readonly unsearched = new Cell<readonly Unsearched[]>(NOTHING);
  readonly listing: Listing;
  /**
   * Whether the order is frozen, because the pointer or the focus is on a row: rows keep their
   * places whatever their values, and new ones are inserted where they belong.
   */
  isOrderPaused = false;
  private readonly api: Api;
  private readonly now_ms: () => number;
  private nextCursor: string | null = null;
  private isLoadingMore = false;
  private countPages = 0;
  /** The value by which each row was placed. */
  private readonly placed = new Map<string, SortValue>();
  /** Ids of rows from before a gap, which any version replaces. */
  private outdated = new Set<string>();
  /** Change of the deletion of each session that is gone. */
  private readonly deletions = new Map<string, number>();
  /** For each page on its way: what the feed brought meanwhile, by id. */
  private readonly awaited = new Set<Map<string, Session>>();

  constructor(api: Api, listing: Listing = EVERYTHING, now_ms: () => number = () => Date.now()) {
    this.api = api;
    this.listing = listing;
    this.now_ms = now_ms;
  }

  get query(): string {
    return this.listing.query;
  }

  oldestFirst(ids: Iterable<string>): string[] {
    const startOf = (id: string) => this.rows.get(id)?.started_at ?? '';
    return [...ids].sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
  }

  /** Read the first page, or as many rows as there are, and drop rows that it does not confirm. Call when the feed covers us. */
  async load(isAsLong = !this.isPlain): Promise<void> {
    await this.attempt(async () => {
      const page = await this.read(undefined, isAsLong ? this.order.get().length : 0);
      const ids = new Set(page.sessions.map((session) => session.id));
      // Whether a session fits a query, only the service knows.
      const isNew = (id: string) => this.query === '' && page.meanwhile.has(id);
      const gone = [...this.rows.keys()].filter((id) => !ids.has(id) && !isNew(id));
      this.commit(page.sessions, gone);
      this.settle();
      this.nextCursor = page.next_cursor;
    });
  }

  /** The feed had a gap, perhaps another store: whatever comes now replaces what was known. */
  reload(): Promise<void> {
    this.outdated = new Set(this.rows.keys());
    this.deletions.clear();
    return this.load();
  }

  get hasMore(): boolean {
    return this.nextCursor !== null;
  }

  async loadMore(): Promise<void> {
    const cursor = this.nextCursor;
    if (cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    await this.attempt(async () => {
      // Over before anybody hears of what came: more may be wanted at once.
      const page = await this.read(cursor, 0).finally(() => {
        this.isLoadingMore = false;
      });
      // A row that the feed brought in the meantime is at least as new.
      const fresh = page.sessions.filter((session) => this.rows.get(session.id) === undefined);
      this.nextCursor = page.next_cursor;
      this.commit(fresh, []);
    });
  }

  /** Count what the listing finds; again only if that takes the service one page. */
  async count(signal: AbortSignal): Promise<void> {
    if (this.countPages > 1) return;
    let count = 0;
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { q, since_ms, until_ms } = listingParameters(this.listing, this.now_ms());
      const wanted = { q, since_ms, until_ms, cursor };
      const page = await this.api.sessionCount(wanted, signal);
      count += page.count;
      cursor = page.next_cursor ?? undefined;
      pages += 1;
    } while (cursor !== undefined && count < MOST_COUNTED && pages < MOST_COUNT_PAGES);
    this.countPages = pages;
    this.total.set({ count, isLeast: cursor !== undefined });
  }

  /** Apply changes; return whether a session came, changed or went. */
  apply(events: readonly StreamEvent[]): boolean {
    const rows = new Map<string, Session>();
    const gone = new Set<string>();
    for (const event of events) {
      switch (event.type) {
        case 'SessionUpdated':
        case 'SessionStarted':
        case 'SessionFinished':
          if (event.session.change < this.newestChange(event.session.id, rows)) break;
          rows.set(event.session.id, event.session);
          if (event.fits === false && this.query !== '') gone.add(event.session.id);
          else gone.delete(event.session.id);
          break;
        case 'SessionDeleted':
          if (event.change < this.newestChange(event.session_id, rows)) break;
          this.deletions.set(event.session_id, event.change);
          rows.delete(event.session_id);
          gone.add(event.session_id);
      }
    }
    if (this.deletions.size > MOST_DELETIONS) this.deletions.clear();
    for (const meanwhile of this.awaited) {
      for (const [id, row] of rows) meanwhile.set(id, newerRow(meanwhile.get(id), row));
    }
    this.commit(
      [...rows.values()]
        .filter(({ id }) => !gone.has(id))
        .filter((row) => this.isInLoadedPart(row)),
      [...gone],
    );
    return rows.size + gone.size > 0;
  }

  /** Move rows to where their values belong, unless the order is frozen. At most once a second. */
  settle(): void {
    if (this.isOrderPaused || sortKey(this.listing.sort) === 'started') return;
    for (const session of this.rows.values()) this.placed.set(session.id, this.valueOf(session));
    const before = this.order.get();
    const sorted = [...before].sort((a, b) => this.compare(a, b));
    if (sorted.some((id, index) => id !== before[index])) this.order.set(sorted);
  }

  /** Change of the newest version of a session that is known, or of its deletion. */
  private newestChange(id: string, others: ReadonlyMap<string, Session>): number {
    const known = Math.max(this.known(id)?.change ?? 0, others.get(id)?.change ?? 0);
    return Math.max(known, this.deletions.get(id) ?? 0);
  }

  private known(id: string): Session | undefined {
    return this.outdated.has(id) ? undefined : this.rows.get(id);
  }

  private get isPlain(): boolean {
    return this.query === '' && this.listing.sort === NEWEST_FIRST;
  }

  /**
   * Read on from `cursor`: one page, or as many as give `least` sessions. What the feed brings
   * meanwhile is newer than the page.
   */
  private async read(cursor: string | undefined, least: number) {
    const meanwhile = new Map<string, Session>();
    this.awaited.add(meanwhile);
    try {
      const page = await this.readPages(cursor, least);
      const sessions = page.sessions.flatMap((session) => {
        const { id } = session;
        const newest = newerRow(meanwhile.get(id), newerRow(this.known(id), session));
        return (this.deletions.get(id) ?? 0) < newest.change ? newest : [];
      });
      return { ...page, sessions, meanwhile };
    } finally {
      this.awaited.delete(meanwhile);
    }
  }

  private async readPages(cursor: string | undefined, least: number): Promise<SessionList> {
    const wanted = this.isPlain ? least : Math.max(least, PAGE_SIZE);
    const sessions: Session[] = [];
    // What an earlier page left out is still missing after a whole one.
    let unsearched = cursor === undefined ? NOTHING : this.unsearched.get();
    let next = cursor;
    for (let pages = 1; ; pages += 1) {
      const page = await this.api.sessions({
        limit: PAGE_SIZE,
        ...(next === undefined ? {} : { cursor: next }),
        ...listingParameters(this.listing, this.now_ms()),
      });
      sessions.push(...page.sessions);
      this.index = page.index ?? undefined;
      if (page.partial !== undefined && page.partial.length > 0) unsearched = page.partial;
      if (page.next_cursor === null || sessions.length >= wanted || pages >= MOST_PAGES) {
        this.unsearched.set(unsearched);
        return { ...page, sessions };
      }
      next = page.next_cursor;
    }
  }

  /** Whether a row sorts into the pages that were read; a later one comes with its page. */
  private isInLoadedPart(session: Session): boolean {
    if (this.rows.get(session.id) !== undefined) return true;
    // Whether a new one fits the query is not known here.
    if (this.query !== '') return false;
    const { range } = this.listing;
    const isInTime = () => isWithin(boundsOf(range, this.now_ms()), Date.parse(session.started_at));
    if (range.kind !== 'all' && !isInTime()) return false;
    const last = this.order.get().at(-1);
    if (this.nextCursor === null || last === undefined) return true;
    const place = [this.valueOf(session), session.id] as const;
    return comparePlaces(this.listing.sort, place, this.placeOf(last)) < 0;
  }

  private commit(sessions: readonly Session[], gone: readonly string[]): void {
    const left = gone.filter((id) => this.placed.delete(id));
    const isFixed = sortKey(this.listing.sort) === 'started';
    const moved = sessions.filter(
      (session) => isFixed && this.placed.get(session.id) !== this.valueOf(session),
    );
    const came = sessions.filter((session) => !this.placed.has(session.id));
    for (const session of [...came, ...moved]) {
      this.placed.set(session.id, this.valueOf(session));
    }
    for (const id of [...gone, ...sessions.map((one) => one.id)]) this.outdated.delete(id);
    if (sessions.some(({ users }) => users.length > 0)) this.hasUsers.set(true);
    this.rows.commit([
      ...gone.map((id) => [id, undefined] as const),
      ...sessions.map((session) => [session.id, session] as const),
    ]);
    if (came.length + left.length + moved.length === 0) return;
    const fresh = new Set([...came, ...moved].map(({ id }) => id));
    const unmoved = this.order.get().filter((id) => this.placed.has(id) && !fresh.has(id));
    this.order.set(this.merged(unmoved, [...fresh]));
  }

  /** Merge two lists: the first is in order, each id of the second is inserted where it belongs. */
  private merged(unmoved: readonly string[], fresh: string[]): string[] {
    fresh.sort((a, b) => this.compare(a, b));
    const merged: string[] = [];
    let next = 0;
    for (const id of unmoved) {
      while (next < fresh.length && this.compare(fresh[next] ?? '', id) < 0) {
        merged.push(fresh[next] ?? '');
        next += 1;
      }
      merged.push(id);
    }
    return merged.concat(fresh.slice(next));
  }

  private valueOf(session: Session): SortValue {
    return sortValue(session, this.listing.sort, this.now_ms());
  }

  private placeOf(id: string): readonly [SortValue, string] {
    return [this.placed.get(id) ?? 0, id];
  }

  private compare(a: string, b: string): number {
    return comparePlaces(this.listing.sort, this.placeOf(a), this.placeOf(b));
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

/** Query parameters of a listing. */
export function listingParameters(
  { query, sort, range }: Listing,
  now_ms: number,
): { q?: string; sort?: Sort; since_ms?: number; until_ms?: number } {
  return {
    ...(query === '' ? {} : { q: query }),
    ...(sort === NEWEST_FIRST ? {} : { sort }),
    ...boundsOf(range, now_ms),
  };
}

export function failed(error: unknown): LoadState {
  const message = error instanceof Error ? error.message : String(error);
  const status =
    typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 0;
  const problem = error instanceof ApiError ? error.problem : undefined;
  return { kind: 'failed', message, status, ...(problem === undefined ? {} : { problem }) };
}
