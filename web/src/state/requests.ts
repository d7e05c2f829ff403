/** Requests of agents to people, read from `GET /requests` and updated by the feed. */
import { type Api, ApiError } from '../api/client.ts';
import type { Answer, Request, StreamEvent, Unsearched } from '../api/types.ts';
import {
  allowsByItself,
  compareUrgentFirst,
  isPending,
  newerRequest,
} from '../model/requests/request.ts';
import { keyInSession, spanKey } from '../model/trace/span-key.ts';
import { Cell } from './cell.ts';
import { KeyedStore } from './keyed-store.ts';
import { failed, type LoadState } from './sessions.ts';

/** Outcome of an answer that this page sent. */
export type Sending =
  | { readonly kind: 'sending' }
  | { readonly kind: 'failed'; readonly message: string };

const PAGE_SIZE = 200;
/** Limit of pending requests, as in the service. */
const MAX_PENDING = 10_000;
/** Limit of closed requests, which stay for open views; the oldest go first. */
const MAX_CLOSED = 500;

const NONE: readonly string[] = [];
const NOTHING: readonly Unsearched[] = [];

export class Requests {
  readonly rows = new KeyedStore<Request>();
  /** Ids of pending requests, the most urgent first. A new array when one came or went. */
  readonly pending = new Cell<readonly string[]>([]);
  /** How many of them allow by themselves when their time passes. */
  readonly allowing = new Cell(0);
  /** Services whose requests are not known now. */
  readonly unsearched = new Cell<readonly Unsearched[]>(NOTHING);
  /** Ids of pending requests, by session, and by `keyInSession`. */
  readonly ofSession = new KeyedStore<readonly string[]>();
  readonly ofSpan = new KeyedStore<readonly string[]>();
  readonly sending = new KeyedStore<Sending>();
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  /** Called with newly opened requests. */
  onOpened: (requests: readonly Request[]) => void = () => {};
  private readonly api: Api;
  private loads = 0;
  /** Ids in feed messages that came while a list was being read. */
  private touched = new Set<string>();

  constructor(api: Api) {
    this.api = api;
  }

  /**
   * Read all pending requests; those that were pending before and are not among them are read one
   * by one.
   */
  async load(): Promise<void> {
    this.loads += 1;
    const { loads } = this;
    this.touched = new Set();
    try {
      const listed = new Set<string>();
      const away = new Map<string, Unsearched>();
      let cursor: string | undefined;
      do {
        const page = await this.api.requests({
          status: 'pending',
          limit: PAGE_SIZE,
          ...(cursor === undefined ? {} : { cursor }),
        });
        if (loads !== this.loads) return;
        for (const request of page.requests) listed.add(request.id);
        for (const part of page.partial ?? []) away.set(part.writer ?? '', part);
        this.take(page.requests);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && listed.size < MAX_PENDING);
      this.unsearched.set(away.size > 0 ? [...away.values()] : NOTHING);
      const isAway = (id: string) => [...away.keys()].some((name) => id.startsWith(`${name}:`));
      await this.askAfter(this.pending.get().filter((id) => !listed.has(id) && !isAway(id)));
      this.forgive();
      this.state.set({ kind: 'ready' });
    } catch (error) {
      if (loads === this.loads) this.state.set(failed(error));
    }
  }

  apply(events: readonly StreamEvent[]): void {
    const requests = events.map(requestOf).filter((request) => request !== undefined);
    if (requests.length === 0) return;
    for (const { id } of requests) this.touched.add(id);
    const isNew = ({ id }: Request) => this.rows.get(id)?.status !== 'pending';
    const opened = requests.filter((request) => isPending(request) && isNew(request));
    this.take(requests);
    if (opened.length > 0) this.onOpened(opened);
  }

  /** Read one request, which may be closed or unknown. */
  async fetch(id: string): Promise<void> {
    this.take([await this.api.request(id)]);
  }

  /** Send an answer; return whether it won. Who was first is in the row, or in `sending`. */
  async answer(id: string, answer: Answer): Promise<boolean> {
    if (this.sending.get(id)?.kind === 'sending') return false;
    this.sending.commit([[id, { kind: 'sending' }]]);
    try {
      const { request } = await this.api.answer(id, answer);
      this.take([request]);
      this.sending.commit([[id, undefined]]);
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.sending.commit([[id, { kind: 'failed', message }]]);
      // Somebody else was first, or it has closed: what it is now is what counts.
      if (error instanceof ApiError && error.status === 409) await this.refresh(id);
      return false;
    }
  }

  /** The service answers again: forget failures to send. */
  forgive(): void {
    const failures = this.pending.get().filter((id) => this.sending.get(id)?.kind === 'failed');
    this.sending.commit(failures.map((id) => [id, undefined] as const));
  }

  private async refresh(id: string): Promise<void> {
    await this.fetch(id).catch(() => {
      // The refusal is shown already; the feed brings the row.
    });
  }

  private async askAfter(ids: readonly string[]): Promise<void> {
    for (const id of ids.filter((one) => !this.touched.has(one)).slice(0, PAGE_SIZE)) {
      await this.fetch(id).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 404) this.drop([id]);
        // Its service is away: what is known of it stands until that is back.
        else if (error.problem?.code !== 'writer_away') throw error;
      });
    }
  }

  private take(requests: readonly Request[]): void {
    const changes = new Map<string, Request>();
    for (const request of requests) {
      const known = changes.get(request.id) ?? this.rows.get(request.id);
      changes.set(request.id, newerRequest(known, request));
    }
    this.commit(changes);
  }

  private drop(ids: readonly string[]): void {
    this.commit(ids.map((id) => [id, undefined] as const));
  }

  private commit(changes: Iterable<readonly [string, Request | undefined]>): void {
    this.rows.commit(changes);
    const waiting = [...this.rows.values()].filter(isPending).sort(compareUrgentFirst);
    this.index(this.ofSession, waiting, ({ session_id }) => session_id);
    this.index(this.ofSpan, waiting, ({ session_id, trace_id, span_id }) =>
      trace_id === null || span_id === null
        ? undefined
        : keyInSession(session_id, spanKey({ trace_id, span_id })),
    );
    const ids = waiting.map(({ id }) => id);
    if (!isSame(ids, this.pending.get())) this.pending.set(ids);
    this.allowing.set(waiting.filter(allowsByItself).length);
    this.forget();
  }

  private index(
    store: KeyedStore<readonly string[]>,
    waiting: readonly Request[],
    keyOf: (request: Request) => string | undefined,
  ): void {
    const lists = new Map<string, string[]>();
    for (const request of waiting) {
      const key = keyOf(request);
      if (key === undefined) continue;
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [request.id]);
      else list.push(request.id);
    }
    const gone = [...store.keys()].filter((key) => !lists.has(key));
    store.commit([
      ...gone.map((key) => [key, undefined] as const),
      ...[...lists].map(([key, ids]) => {
        const known = store.get(key) ?? NONE;
        return [key, isSame(known, ids) ? known : ids] as const;
      }),
    ]);
  }

  private forget(): void {
    const excess = this.rows.size - this.pending.get().length - MAX_CLOSED;
    if (excess <= 0) return;
    const closed = [...this.rows.values()].filter((request) => !isPending(request));
    this.rows.commit(closed.slice(0, excess).map(({ id }) => [id, undefined] as const));
  }
}

/** The request in a message; undefined: none. */
export function requestOf(event: StreamEvent): Request | undefined {
  switch (event.type) {
    case 'ApprovalRequested':
    case 'ApprovalResolved':
      return event.request;
    case 'WaitingOnSignal':
    case 'SignalReceived':
      return event.request ?? undefined;
    default:
      return undefined;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}
