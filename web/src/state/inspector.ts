/** State of the whole page, and its connection to the feed. */
import { type Api, NO_SESSION } from '../api/client.ts';
import type { StoreHealth, StreamEvent } from '../api/types.ts';
import { Actions } from './actions.ts';
import type { Build } from './build.ts';
import { Cell } from './cell.ts';
import { Drafts } from './drafts.ts';
import type { FeedMessage } from './event-source.ts';
import { Feed, type FeedParts } from './feed.ts';
import { FrameQueue } from './frame-queue.ts';
import { Imports } from './imports.ts';
import { ListParts } from './list-part.ts';
import type { PreferenceStore } from './preferences.ts';
import { Requests, requestOf } from './requests.ts';
import type { Router } from './route.ts';
import { Selection } from './selection.ts';
import { ServerClock } from './server-clock.ts';
import { SessionFilter } from './session-filter.ts';
import { Sessions } from './sessions.ts';
import { SpanDetails } from './span-details.ts';
import { SpanValues } from './span-values.ts';
import type { Trace } from './trace.ts';
import { Verbs } from './verbs.ts';

/** Period of updates in a hidden tab, which has no frames. */
const HIDDEN_FRAME_MS = 200;

/** The page is a file with one session: nothing acts, and nothing is asked of anybody. */
export interface SavedPage {
  /** RFC 3339; it stays that time. */
  readonly exportedAt: string;
  /** Number of spans whose content is not in the file, or not all of it. */
  readonly leftOut: number;
}

interface InspectorParts {
  readonly api: Api;
  readonly router: Router;
  readonly preferences: PreferenceStore;
  /** Address of the service, as a person would type it. */
  readonly serviceUrl: string;
  /** Undefined where the page is never replaced, as in the gallery. */
  readonly build?: Build;
  readonly saved?: SavedPage;
  readonly feed: Pick<FeedParts, 'open' | 'locks' | 'channel' | 'name' | 'tab'>;
}

export class Inspector {
  readonly api: Api;
  readonly router: Router;
  readonly preferences: PreferenceStore;
  readonly serviceUrl: string;
  private readonly build: Build | undefined;
  readonly actions = new Actions();
  readonly saved: SavedPage | undefined;
  readonly clock: ServerClock;
  readonly sessions: Sessions;
  readonly filter: SessionFilter;
  readonly details: SpanDetails;
  readonly values: SpanValues;
  readonly requests: Requests;
  readonly imports: Imports;
  readonly drafts = new Drafts();
  /** Key of the row that each list was left at, by the list's name. */
  readonly lastRows = new Map<string, string>();
  /** Selected sessions of the list, also while another page is shown. */
  readonly selection = new Selection();
  readonly verbs: Verbs;
  readonly feed: Feed;
  /** Services that a reader asks; none where the page's own service stores. */
  readonly writers = new Cell<readonly string[]>([]);
  /** Whether the service can store what it receives; undefined before its first report. */
  readonly storeHealth = new Cell<StoreHealth | undefined>(undefined);
  /** How often lists were read again because changes may have been missed. */
  readonly gaps = new Cell(0);
  readonly listParts: ListParts;
  private readonly queue: FrameQueue<StreamEvent>;
  /** Separate, because a hidden tab applies requests too: its title counts them. */
  private readonly requestQueue: FrameQueue<StreamEvent>;
  /** The session that the page shows. */
  readonly openTrace = new Cell<Trace | undefined>(undefined);

  constructor({ api, router, preferences, serviceUrl, build, saved, feed }: InspectorParts) {
    this.api = api;
    this.router = router;
    this.preferences = preferences;
    this.serviceUrl = serviceUrl;
    this.build = build;
    this.saved = saved;
    this.clock = new ServerClock(() => (saved ? Date.parse(saved.exportedAt) : Date.now()));
    this.sessions = new Sessions(api);
    this.filter = new SessionFilter(
      this.sessions,
      api,
      {
        set: (callback, delay_ms) => window.setTimeout(callback, delay_ms),
        clear: (timer) => window.clearTimeout(timer),
      },
      () => this.clock.now_ms(),
    );
    this.listParts = new ListParts(() => void this.cover().then(() => this.readListAgain()));
    this.filter.shown.subscribe(() => this.observe([]));
    this.imports = new Imports(api);
    this.details = new SpanDetails(api);
    this.values = new SpanValues(api);
    this.queue = new FrameQueue(
      {
        requestFrame: (callback) => requestAnimationFrame(callback),
        isHidden: () => document.visibilityState === 'hidden',
      },
      (events) => this.apply(events),
      () => this.reload(),
    );
    this.requests = new Requests(api);
    this.verbs = new Verbs(api);
    this.requestQueue = new FrameQueue(
      {
        requestFrame: (callback) =>
          document.visibilityState === 'hidden'
            ? setTimeout(callback, HIDDEN_FRAME_MS)
            : requestAnimationFrame(callback),
        isHidden: () => false,
      },
      (events) => this.requests.apply(events),
      () => {},
    );
    this.feed = new Feed(
      {
        ...feed,
        eventsUrl: api.eventsUrl,
        bootstrap: async () => (await api.sessions({ limit: 1 })).as_of,
      },
      (message) => this.receive(message),
    );
    this.feed.status.subscribe(() => {
      const { kind } = this.feed.status.get();
      if (kind === 'live') {
        this.clock.release();
        this.requests.forgive();
      } else if (kind !== 'connecting') this.clock.hold();
    });
  }

  start(): void {
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.queue.onVisible();
    });
    window.addEventListener('pagehide', () => this.feed.stop());
    this.feed.start();
    void this.cover().then(() => {
      void this.readWriters();
      void this.sessions.load();
      void this.requests.load();
    });
  }

  /** Follow the session that the page shows, one at a time. */
  follow(trace: Trace): void {
    this.openTrace.set(trace);
    void this.cover().then(() => {
      if (this.openTrace.get() === trace) void trace.load();
    });
  }

  unfollow(trace: Trace): void {
    trace.close();
    if (this.openTrace.get() !== trace) return;
    this.openTrace.set(undefined);
    void this.cover();
    if (this.listParts.wanted !== undefined) this.readListAgain();
  }

  /**
   * After an upgrade of the service, code is missing until the page is loaded again; return whether
   * that is why.
   */
  async onMissingPart(): Promise<boolean> {
    // What was written and not sent would be lost: then it is for the reader to say.
    return (await this.build?.reloadIfReplaced(!this.drafts.hasUnsent())) ?? false;
  }

  /** Read all shown lists again: the feed had a gap, or the tab was hidden. */
  reload(): void {
    this.gaps.set(this.gaps.get() + 1);
    void this.readWriters();
    void this.sessions.reload();
    void this.requests.load();
    this.filter.reload();
    void this.openTrace.get()?.reload();
  }

  private cover(): Promise<void> {
    const session = this.openTrace.get()?.sessionId ?? NO_SESSION;
    return this.feed.cover([session], this.listParts.wanted);
  }

  private async readWriters(): Promise<void> {
    const health = await this.api.health().catch(() => undefined);
    if (health !== undefined) this.writers.set(health.writers?.map(({ name }) => name) ?? []);
  }

  private readListAgain(): void {
    if (this.openTrace.get() === undefined) void this.filter.shown.get().load(true);
  }

  private observe(events: readonly StreamEvent[]): void {
    const { state, query } = this.filter.shown.get();
    // A query that the service refuses would end the stream.
    this.listParts.observe(state.get().kind === 'ready' ? query : '', events);
  }

  private receive({ event }: FeedMessage): void {
    if (event.type === 'Heartbeat') {
      this.clock.observe(event.now_ns);
      this.storeHealth.set(event.store);
    } else {
      if (event.type === 'Gap') void this.requests.load();
      if (requestOf(event) !== undefined) this.requestQueue.push(event);
      this.queue.push(event);
    }
  }

  private apply(received: readonly StreamEvent[]): void {
    const gap = received.findLastIndex(({ type }) => type === 'Gap');
    if (gap >= 0) this.reload();
    const events = received.slice(gap + 1);
    this.observe(events);
    this.sessions.apply(events);
    this.filter.apply(events);
    this.openTrace.get()?.apply(events);
  }
}
