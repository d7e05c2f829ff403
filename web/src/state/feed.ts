/**
 * One change feed for all tabs of a browser, which allows six connections to a host.
 *
 * The tab that holds the Web Lock leads: it has the only EventSource and passes every message on.
 * Each tab says which sessions it shows; the leader's address names them all. When the leader
 * goes, the lock passes on, and the next leader resumes after the last id that it saw.
 */
import { Cell } from './cell.ts';
import { Connection, type ConnectionStatus, type FeedMessage } from './event-source.ts';

type TabMessage =
  /** Request to every tab to report its sessions, from a tab that joined or began to lead. */
  | { readonly kind: 'roll_call' }
  | { readonly kind: 'want'; readonly tab: string; readonly sessions: readonly string[] }
  | { readonly kind: 'gone'; readonly tab: string }
  /** The sessions that the leader's connection covers. */
  | {
      readonly kind: 'covered';
      readonly sessions: readonly string[];
      readonly position: string | undefined;
    }
  | { readonly kind: 'status'; readonly status: ConnectionStatus }
  | { readonly kind: 'feed'; readonly message: FeedMessage };

export interface FeedParts {
  readonly open: (url: string) => EventSource;
  readonly eventsUrl: (after: string, sessionIds: readonly string[]) => string;
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
  private readonly wants = new Map<string, readonly string[]>();
  private covered: ReadonlySet<string> | undefined;
  private position: string | undefined;
  private connection: Connection | undefined;
  private waiters: (() => void)[] = [];
  private unconfirmed = new Set<string>();

  constructor(parts: FeedParts, onMessage: (message: FeedMessage) => void) {
    this.parts = parts;
    this.onMessage = onMessage;
    this.wants.set(parts.tab, []);
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
   * Have span rows of these sessions delivered. Once the promise resolves, no change is missed: a
   * list fetched after it is complete with what the feed brings.
   */
  cover(sessions: readonly string[]): Promise<void> {
    this.wants.set(this.parts.tab, sessions);
    // What a leader announced earlier may have changed since: only it can say.
    const isKnown = this.connection !== undefined && this.isCovered();
    const done = isKnown
      ? Promise.resolve()
      : new Promise<void>((resolve) => this.waiters.push(resolve));
    this.send({ kind: 'want', tab: this.parts.tab, sessions });
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
        this.send({ kind: 'want', tab: this.parts.tab, sessions: this.ownWants() });
        if (this.connection !== undefined) {
          this.send({ kind: 'status', status: this.status.get() });
          this.announce();
        }
        return;
      case 'want':
        this.wants.set(message.tab, message.sessions);
        this.unconfirmed.delete(message.tab);
        this.widen();
        return;
      case 'gone':
        this.wants.delete(message.tab);
        return;
      case 'covered':
        if (this.connection === undefined) this.setCovered(message.sessions, message.position);
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

  /** As leader, make the connection cover all wanted sessions; it is narrowed later. */
  private widen(): void {
    const { connection } = this;
    if (connection === undefined) return;
    const wanted = this.wanted();
    const { covered } = this;
    if (covered !== undefined && wanted.every((session) => covered.has(session))) {
      this.announce();
      return;
    }
    this.covered = new Set(wanted);
    void connection.reopen().then(() => this.announce());
  }

  private announce(): void {
    const position = this.connection?.position;
    // Without a position nothing is promised yet.
    if (position === undefined || this.covered === undefined) return;
    const sessions = [...this.covered];
    this.send({ kind: 'covered', sessions, position });
    this.setCovered(sessions, position);
  }

  private setCovered(sessions: readonly string[], position: string | undefined): void {
    this.covered = new Set(sessions);
    this.position ??= position;
    if (!this.isCovered()) return;
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }

  private isCovered(): boolean {
    const { covered } = this;
    const isReady = this.connection === undefined || this.connection.position !== undefined;
    return (
      covered !== undefined && isReady && this.ownWants().every((session) => covered.has(session))
    );
  }

  private ownWants(): readonly string[] {
    return this.wants.get(this.parts.tab) ?? [];
  }

  private wanted(): string[] {
    return [...new Set([...this.wants.values()].flat())].sort();
  }

  private send(message: TabMessage): void {
    if (this.parts.locks !== undefined) this.parts.channel?.postMessage(message);
  }
}
