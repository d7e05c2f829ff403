import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FeedMessage } from './event-source.ts';
import { Feed } from './feed.ts';

/** An EventSource that the test speaks through. */
class FakeSource extends EventTarget {
  isClosed = false;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
  }
  close(): void {
    this.isClosed = true;
  }
  send(id: string, event: object): void {
    if (this.isClosed) return;
    this.dispatchEvent(
      Object.assign(new Event('message'), { lastEventId: id, data: JSON.stringify(event) }),
    );
  }
}

/** Tabs of one browser: they share the lock, the channel and the service. */
class Browser {
  readonly sources: FakeSource[] = [];
  head = 'store.0';
  isDown = false;
  private readonly channels = new Set<EventTarget>();
  private readonly waiting: (() => void)[] = [];
  private holder: string | undefined;

  open(tab: string): Tab {
    const messages: FeedMessage[] = [];
    const own = new EventTarget();
    this.channels.add(own);
    const channel = Object.assign(own, {
      postMessage: (data: unknown) => {
        for (const other of this.channels) {
          if (other === own) continue;
          const copy = structuredClone(data);
          queueMicrotask(() => {
            if (this.channels.has(other)) {
              other.dispatchEvent(Object.assign(new Event('message'), { data: copy }));
            }
          });
        }
      },
    });
    const locks = {
      request: (_name: string, lead: () => Promise<never>) => {
        const take = () => {
          this.holder = tab;
          void lead();
        };
        if (this.holder === undefined) take();
        else this.waiting.push(take);
        return new Promise(() => {});
      },
    };
    const feed = new Feed(
      {
        open: (url) => {
          const source = new FakeSource(url);
          this.sources.push(source);
          if (!this.isDown) queueMicrotask(() => source.dispatchEvent(new Event('open')));
          return source as unknown as EventSource;
        },
        eventsUrl: (after, { sessions, part }) =>
          [after, sessions.join(','), ...(part ? [part.query, part.rows.join()] : [])].join('|'),
        bootstrap: () =>
          this.isDown ? Promise.reject(new Error('down')) : Promise.resolve(this.head),
        locks: locks as unknown as LockManager,
        channel: channel as unknown as BroadcastChannel,
        name: 'feed',
        tab,
      },
      (message) => messages.push(message),
    );
    feed.start();
    const crash = () => this.crash(tab, own);
    const close = () => {
      feed.stop();
      crash();
    };
    return { feed, messages, close, crash };
  }

  /** The tab is gone without a word; the browser passes its lock on. */
  private crash(tab: string, own: EventTarget): void {
    this.channels.delete(own);
    if (this.holder !== tab) return;
    this.holder = undefined;
    this.waiting.shift()?.();
  }

  get live(): FakeSource[] {
    return this.sources.filter((source) => !source.isClosed);
  }
}

interface Tab {
  readonly feed: Feed;
  readonly messages: FeedMessage[];
  readonly close: () => void;
  readonly crash: () => void;
}

const settle = () => vi.advanceTimersByTimeAsync(5);
const beat = { type: 'Heartbeat', time: '', now_ns: '1' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('three tabs have one connection, and all get every message', async () => {
  const browser = new Browser();
  const tabs = ['a', 'b', 'c'].map((name) => browser.open(name));
  await settle();
  browser.live[0]?.send('store.1', beat);
  await settle();
  expect(browser.live).toHaveLength(1);
  expect(tabs.map((tab) => tab.messages.map((message) => message.id))).toEqual([
    ['store.1'],
    ['store.1'],
    ['store.1'],
  ]);
});

test('the connection covers what the tabs show, from the last id on', async () => {
  const browser = new Browser();
  const [a, b] = [browser.open('a'), browser.open('b')];
  await settle();
  browser.live[0]?.send('store.7', beat);
  const covered = vi.fn();
  void b.feed.cover(['s2']).then(covered);
  await settle();
  void a.feed.cover(['s1']).then(covered);
  await settle();
  expect(covered).toHaveBeenCalledTimes(2);
  expect(browser.live.map((source) => source.url)).toEqual(['store.7|s1,s2']);
});

test('what is covered already does not connect anew', async () => {
  const browser = new Browser();
  const [a, b] = [browser.open('a'), browser.open('b')];
  await settle();
  void a.feed.cover(['s1']);
  await settle();
  const before = browser.sources.length;
  const covered = vi.fn();
  void b.feed.cover(['s1']).then(covered);
  await settle();
  expect(covered).toHaveBeenCalledTimes(1);
  expect(browser.sources).toHaveLength(before);
});

test('when the leader closes, the next tab goes on after the last id that it saw', async () => {
  const browser = new Browser();
  const [a, b] = [browser.open('a'), browser.open('b')];
  await settle();
  void b.feed.cover(['s2']);
  await settle();
  browser.live[0]?.send('store.41', beat);
  await settle();
  a.close();
  await settle();
  expect(browser.live.map((source) => source.url)).toEqual(['store.41|s2']);
  browser.live[0]?.send('store.42', beat);
  expect(b.messages.map((message) => message.id)).toEqual(['store.41', 'store.42']);
});

test('a tab that crashed is no longer covered after the roll was called', async () => {
  const browser = new Browser();
  const [a, b, c] = [browser.open('a'), browser.open('b'), browser.open('c')];
  await settle();
  void a.feed.cover(['s1']);
  await settle();
  a.crash();
  await vi.advanceTimersByTimeAsync(2500);
  void c.feed.cover(['s3']);
  await settle();
  expect(browser.sources.at(-1)?.url).toBe('store.0|s3');
  expect(b.feed.status.get()).toEqual({ kind: 'live' });
});

test('the list is narrowed when every tab wants a part, and is whole for one that wants it', async () => {
  const browser = new Browser();
  const [a, b] = [browser.open('a'), browser.open('b')];
  await settle();
  const url = () => browser.live.map((source) => source.url);
  void b.feed.cover(['-']);
  void a.feed.cover(['-'], { query: 'x', rows: ['r1'] });
  await settle();
  expect(url()).toEqual(['store.0|-']);
  void b.feed.cover(['-'], { query: 'y', rows: ['r2'] });
  await settle();
  expect(url()).toEqual(['store.0|-||r1,r2']);
  const covered = vi.fn();
  void browser.open('c').feed.cover(['-']).then(covered);
  await settle();
  expect(url()).toEqual(['store.0|-']);
  expect(covered).toHaveBeenCalledTimes(1);
});

test('a tab with another query is covered once the connection has it', async () => {
  const browser = new Browser();
  const a = browser.open('a');
  await settle();
  void a.feed.cover(['-'], { query: 'x', rows: [] });
  await settle();
  const before = browser.sources.length;
  const covered = vi.fn();
  void a.feed.cover(['-'], { query: 'y', rows: [] }).then(covered);
  await settle();
  expect(covered).toHaveBeenCalledTimes(1);
  expect(browser.sources).toHaveLength(before + 1);
  expect(browser.live.map((source) => source.url)).toEqual(['store.0|-|y|']);
});

test('a lost connection is taken up after the last id, and says when', async () => {
  const browser = new Browser();
  const tab = browser.open('a');
  await settle();
  browser.live[0]?.send('store.5', beat);
  browser.isDown = true;
  browser.live[0]?.dispatchEvent(new Event('error'));
  await settle();
  expect(tab.feed.status.get().kind).toBe('reconnecting');
  browser.isDown = false;
  await vi.advanceTimersByTimeAsync(6000);
  expect(browser.live.map((source) => source.url)).toEqual(['store.5|']);
  expect(tab.feed.status.get()).toEqual({ kind: 'live' });
});

test('a page that is opened before the service is covered as soon as that answers', async () => {
  const browser = new Browser();
  browser.isDown = true;
  const tab = browser.open('a');
  const covered = vi.fn();
  void tab.feed.cover(['s1']).then(covered);
  await vi.advanceTimersByTimeAsync(2000);
  expect(covered).not.toHaveBeenCalled();
  browser.isDown = false;
  await vi.advanceTimersByTimeAsync(6000);
  expect(covered).toHaveBeenCalledTimes(1);
});

test('silence for longer than the keep-alive is a lost connection', async () => {
  const browser = new Browser();
  browser.open('a');
  await settle();
  const [first] = browser.live;
  await vi.advanceTimersByTimeAsync(20_000);
  first?.send('store.1', beat);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(first?.isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(first?.isClosed).toBe(true);
  expect(browser.live).toHaveLength(1);
});
