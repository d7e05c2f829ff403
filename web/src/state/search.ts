/** Results of one query across sessions: pages of spans, and the matching sessions. */
import type { Api } from '../api/client.ts';
import type { IndexState, SearchHit, SessionHit, Unsearched } from '../api/types.ts';
import { keyInSession, spanKey } from '../model/trace/span-key.ts';
import { Cell } from './cell.ts';
import { failed, type LoadState } from './sessions.ts';

const PAGE_SIZE = 50;
/** Limit of pages that are read without a click: a page may be short because its time was up. */
const MOST_PAGES = 8;
const ENOUGH = 30;

/** A session with its hits. */
export interface FoundSession {
  readonly id: string;
  readonly title: string;
  readonly status: SessionHit['status'];
  readonly started_at: string;
  /** Its row, if the session itself matches. */
  readonly session: SessionHit | undefined;
  readonly hits: readonly SearchHit[];
}

export interface Found {
  /** Sessions in the order of their first hit. */
  readonly sessions: readonly FoundSession[];
  readonly spanCount: number;
  readonly hasMore: boolean;
  readonly index: IndexState | undefined;
  /** What any of the pages left out. */
  readonly unsearched: readonly Unsearched[];
}

const NOTHING: Found = {
  sessions: [],
  spanCount: 0,
  hasMore: false,
  index: undefined,
  unsearched: [],
};

export class Search {
  readonly query: string;
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  readonly found = new Cell<Found>(NOTHING);
  readonly isReading = new Cell(false);
  private readonly api: Api;
  private readonly groups = new Map<string, FoundSession>();
  private readonly seen = new Set<string>();
  private readonly reading = new AbortController();
  private cursor: string | undefined;
  private isBegun = false;

  constructor(api: Api, query: string) {
    this.api = api;
    this.query = query;
  }

  close(): void {
    this.reading.abort();
  }

  /** Read on until there are enough results or the end is reached. */
  async more(): Promise<void> {
    if (this.isReading.get() || (this.isBegun && this.cursor === undefined)) return;
    this.isReading.set(true);
    const wanted = this.seen.size + ENOUGH;
    try {
      for (let pages = 0; pages < MOST_PAGES && this.seen.size < wanted; pages += 1) {
        await this.readPage();
        if (this.cursor === undefined) break;
      }
      this.state.set({ kind: 'ready' });
    } catch (error) {
      if (!this.reading.signal.aborted) this.state.set(failed(error));
    } finally {
      this.isReading.set(false);
    }
  }

  private async readPage(): Promise<void> {
    const from = this.cursor === undefined ? {} : { cursor: this.cursor };
    const page = await this.api.search(
      { q: this.query, limit: PAGE_SIZE, ...from },
      this.reading.signal,
    );
    this.isBegun = true;
    this.cursor = page.next_cursor ?? undefined;
    for (const hit of page.spans) this.add(hit);
    for (const session of page.sessions) {
      const known = this.groups.get(session.id);
      this.groups.set(session.id, {
        hits: [],
        ...known,
        id: session.id,
        title: session.title,
        status: session.status,
        started_at: session.started_at,
        session,
      });
    }
    this.found.set({
      sessions: [...this.groups.values()],
      spanCount: this.seen.size,
      hasMore: this.cursor !== undefined,
      index: page.index ?? undefined,
      unsearched: page.partial?.length ? page.partial : this.found.get().unsearched,
    });
    if (this.seen.size > 0) this.state.set({ kind: 'ready' });
  }

  private add(hit: SearchHit): void {
    const key = keyInSession(hit.session_id, spanKey(hit.span));
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const group = this.groups.get(hit.session_id);
    this.groups.set(hit.session_id, {
      id: hit.session_id,
      title: hit.session_title,
      status: hit.session_status,
      started_at: hit.session_started_at,
      session: group?.session,
      hits: [...(group?.hits ?? []), hit],
    });
  }
}
