/**
 * One change feed for all tabs of a browser, which allows six connections to a host.
 *
 * The tab that holds the Web Lock leads: it has the only EventSource and passes every message on.
 * Each tab says which sessions it shows; the leader's address names them all. When the leader
 * goes, the lock passes on, and the next leader resumes after the last id that it saw.
 */
import { Cell } from './cell.ts';
import { Connection, type ConnectionStatus, type FeedMessage } from './event-source.ts';
import { hasQuery, type ListPart, unionOf } from './list-part.ts';

/** What is delivered: span rows of these sessions, and a part of the list; undefined: all of it. */
export interface Want {
  readonly sessions: readonly string[];
  readonly part: ListPart | undefined;
}

type TabMessage =
  /** Request to every tab to report its sessions, from a tab that joined or began to lead. */
  | { readonly kind: 'roll_call' }
  | ({ readonly kind: 'want'; readonly tab: string } & Want)
  | { readonly kind: 'gone'; readonly tab: string }
  /** What the leader's connection covers. */
  | ({ readonly kind: 'covered'; readonly position: string | undefined } & Want)
  | { readonly kind: 'status'; readonly status: ConnectionStatus }
  | { readonly kind: 'feed'; readonly message: FeedMessage };

export interface FeedParts {
  readonly open: (url: string) => EventSource;
  readonly eventsUrl: (after: string, want: Want) => string;
  readonly bootstrap: () => Promise<string>;
  /** Undefined outside a secure context: then every tab leads itself. */
  readonly locks: LockManager | undefined;
  readonly channel: BroadcastChannel | undefined;
  readonly name: string;
  readonly tab: string;
}

/** Time after a change of leader until unconfirmed wants are dropped: their tab is gone. */
const ROLL_CALL_MS = 2000;

export class Feed {
  readonly status = new Cell<ConnectionStatus>({ kind: 'connecting' });
  private readonly parts: FeedParts;
  private readonly onMessage: (message: FeedMessage) => void;
  private readonly wants = new Map<string, Want>();
  private covered: Want | undefined;
  private position: string | undefined;
  private connection: Connection | undefined;
  private waiters: (() => void)[] = [];
  private unconfirmed = new Set<string>();

  constructor(parts: FeedParts, onMessage: (message: FeedMessage) => void) {
    this.parts = parts;
    this.onMessage = onMessage;
    this.wants.set(parts.tab, { sessions: [], part: undefined });
  }

  start(): void {
    const { channel, locks, name } = this.parts;
    if (channel === undefined || locks === undefined) {
      this.lead();
      return;
    }
    channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) =>
      this.receiveFromTab(data),
    );
    this.send({ kind: 'roll_call' });
    void locks.request(name, () => {
      this.lead();
      return new Promise(() => {}); // Held until the tab is gone.
    });
  }

  /** Leave: the leader need not cover our sessions any more. */
  stop(): void {
    this.send({ kind: 'gone', tab: this.parts.tab });
    this.connection?.close();
  }

  /**
   * Have span rows of these sessions delivered, and rows of a part of the list. Once the promise
   * resolves, no change is missed: a list fetched after it is complete with what the feed brings.
   */
  cover(sessions: readonly string[], part?: ListPart): Promise<void> {
    const want = { sessions, part };
    this.wants.set(this.parts.tab, want);
    // What a leader announced earlier may have changed since: only it can say.
    const isKnown = this.connection !== undefined && this.isCovered();
    const done = isKnown
      ? Promise.resolve()
      : new Promise<void>((resolve) => this.waiters.push(resolve));
    this.send({ kind: 'want', tab: this.parts.tab, ...want });
    this.widen();
    return done;
  }

  /** Reconnect now instead of after the wait. */
  retry(): void {
    void this.connection?.reopen();
  }

  private lead(): void {
    this.connection = new Connection(
      {
        open: this.parts.open,
        url: (after) => this.parts.eventsUrl(after, this.wanted()),
        bootstrap: this.parts.bootstrap,
        onMessage: (message) => {
          this.send({ kind: 'feed', message });
          this.receive(message);
        },
        onStatus: (status) => {
          this.send({ kind: 'status', status });
          this.status.set(status);
          if (status.kind === 'live') this.announce();
        },
      },
      this.position,
    );
    this.covered = undefined;
    this.widen();
    this.callRoll();
  }

  private callRoll(): void {
    this.unconfirmed = new Set(this.wants.keys());
    this.unconfirmed.delete(this.parts.tab);
    this.send({ kind: 'roll_call' });
    setTimeout(() => {
      for (const tab of this.unconfirmed) this.wants.delete(tab);
    }, ROLL_CALL_MS);
  }

  private receiveFromTab(message: TabMessage): void {
    switch (message.kind) {
      case 'roll_call':
        this.send({ ...this.ownWant(), kind: 'want', tab: this.parts.tab });
        if (this.connection !== undefined) {
          this.send({ kind: 'status', status: this.status.get() });
          this.announce();
        }
        return;
      case 'want':
        this.wants.set(message.tab, message);
        this.unconfirmed.delete(message.tab);
        this.widen();
        return;
      case 'gone':
        this.wants.delete(message.tab);
        return;
      case 'covered':
        if (this.connection === undefined) this.setCovered(message, message.position);
        return;
      case 'status':
        if (this.connection === undefined) this.status.set(message.status);
        return;
      case 'feed':
        if (this.connection === undefined) this.receive(message.message);
    }
  }

  private receive(message: FeedMessage): void {
    if (message.id !== '') this.position = message.id;
    this.onMessage(message);
  }

  /** As leader, make the connection cover what is wanted; fewer sessions are narrowed to later. */
  private widen(): void {
    const { connection } = this;
    if (connection === undefined) return;
    const wanted = this.wanted();
    const { covered } = this;
    if (covered !== undefined && hasAll(covered, wanted) && isSamePart(covered, wanted)) {
      this.announce();
      return;
    }
    this.covered = wanted;
    void connection.reopen().then(() => this.announce());
  }

  private announce(): void {
    const position = this.connection?.position;
    // Without a position nothing is promised yet.
    if (position === undefined || this.covered === undefined) return;
    const { covered: want } = this;
    this.send({ ...want, kind: 'covered', position });
    this.setCovered(want, position);
  }

  private setCovered(want: Want, position: string | undefined): void {
    this.covered = want;
    this.position ??= position;
    if (!this.isCovered()) return;
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }

  private isCovered(): boolean {
    const { covered } = this;
    const isReady = this.connection === undefined || this.connection.position !== undefined;
    return covered !== undefined && isReady && hasAll(covered, this.ownWant());
  }

  private ownWant(): Want {
    return this.wants.get(this.parts.tab) ?? { sessions: [], part: undefined };
  }

  private wanted(): Want {
    const wants = [...this.wants.values()];
    const sessions = [...new Set(wants.flatMap((want) => want.sessions))].sort();
    return { sessions, part: unionOf(wants.map(({ part }) => part)) };
  }

  private send(message: TabMessage): void {
    if (this.parts.locks !== undefined) this.parts.channel?.postMessage(message);
  }
}

function hasAll(covered: Want, wanted: Want): boolean {
  const sessions = new Set(covered.sessions);
  return (
    wanted.sessions.every((session) => sessions.has(session)) && hasQuery(covered.part, wanted.part)
  );
}

function isSamePart({ part: a }: Want, { part: b }: Want): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
