import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Api } from '../api/client.ts';
import type { Session, SessionList, StreamEvent } from '../api/types.ts';
import { exampleSession } from '../model/examples.ts';
import { parseSort, type Sort } from '../model/sessions/session-order.ts';
import { ALL_TIME, type TimeRange } from '../model/sessions/time-range.ts';
import { Sessions } from './sessions.ts';

const session = (id: string, epoch_ns: string, status = 'running', change = 1) =>
  ({ id, epoch_ns, status, users: [] as string[], change }) as Session;

function listing(...pages: Session[][]): Api {
  return {
    sessions: ({ cursor }: { cursor?: string }) => {
      const at = Number(cursor ?? 0);
      const next_cursor = at + 1 < pages.length ? String(at + 1) : null;
      return Promise.resolve({ sessions: pages[at], next_cursor, as_of: '' } as SessionList);
    },
  } as unknown as Api;
}

const started = (row: Session): StreamEvent => ({
  type: 'SessionStarted',
  time: '',
  session_id: row.id,
  session: row,
});

test('a new session is first, and a changed one stays where it is', async () => {
  const sessions = new Sessions(listing([session('b', '20'), session('a', '10')]));
  await sessions.load();
  sessions.apply([started(session('c', '30'))]);
  const order = sessions.order.get();
  expect(order).toEqual(['c', 'b', 'a']);
  sessions.apply([started(session('a', '10', 'failed'))]);
  expect(sessions.order.get()).toBe(order);
  expect(sessions.rows.get('a')?.status).toBe('failed');
});

test('a session that was deleted or merged is gone', async () => {
  const sessions = new Sessions(listing([session('b', '20'), session('a', '10')]));
  await sessions.load();
  sessions.apply([{ type: 'SessionDeleted', time: '', session_id: 'a', moved_to: 'b', change: 9 }]);
  expect(sessions.order.get()).toEqual(['b']);
});

test('what the feed brings while a page is on its way is newer than the page', async () => {
  let answer = (_: SessionList) => {};
  const api = { sessions: () => new Promise<SessionList>((resolve) => (answer = resolve)) };
  const sessions = new Sessions(api as unknown as Api);
  const loading = sessions.load();
  sessions.apply([
    started(session('c', '30')),
    started(session('b', '20', 'completed', 2)),
    { type: 'SessionDeleted', time: '', session_id: 'a', moved_to: null, change: 9 },
  ]);
  const page = [session('b', '20'), session('a', '10')];
  answer({ sessions: page, next_cursor: null, as_of: '' } as unknown as SessionList);
  await loading;
  expect(sessions.order.get()).toEqual(['c', 'b']);
  expect(sessions.rows.get('b')?.status).toBe('completed');
});

test('an older session than those that were read comes with its page', async () => {
  const sessions = new Sessions(listing([session('c', '30')], [session('b', '20')]));
  await sessions.load();
  sessions.apply([started(session('a', '10'))]);
  expect(sessions.order.get()).toEqual(['c']);
  await sessions.loadMore();
  expect(sessions.order.get()).toEqual(['c', 'b']);
});

test('reading again forgets what is no longer there', async () => {
  const pages = [session('b', '20'), session('a', '10')];
  const sessions = new Sessions(listing(pages));
  await sessions.load();
  pages.pop();
  await sessions.load();
  expect(sessions.order.get()).toEqual(['b']);
});

test('a failure is said', async () => {
  const refuse = () => Promise.reject(Object.assign(new Error('No.'), { status: 401 }));
  const sessions = new Sessions({ sessions: refuse } as unknown as Api);
  await sessions.load();
  expect(sessions.state.get()).toEqual({ kind: 'failed', message: 'No.', status: 401 });
});

const sorted = (api: Api, sort: Sort, range: TimeRange = ALL_TIME) =>
  new Sessions(api, { query: '', sort, range }, () => 1e12);
const priced = (id: string, cost_usd: number | null) => exampleSession({ id, cost_usd });

test('the service sorts, and a live row enters where its value belongs', async () => {
  const requests: unknown[] = [];
  const pages = listing([priced('c', 3), priced('a', 1)]);
  const api = {
    sessions: (page: { cursor?: string }) => {
      requests.push(page);
      return pages.sessions(page);
    },
  } as unknown as Api;
  const sessions = sorted(api, '-cost');
  await sessions.load();
  expect(requests).toEqual([{ limit: 200, sort: '-cost' }]);
  sessions.apply([started(priced('b', 2)), started(priced('x', null))]);
  expect(sessions.order.get()).toEqual(['c', 'b', 'a', 'x']);
});

test('what changes stays in its place until the list settles, and nothing settles that is held', async () => {
  const sessions = sorted(listing([priced('b', 2), priced('a', 1)]), '-cost');
  await sessions.load();
  sessions.apply([started(priced('a', 9))]);
  expect(sessions.order.get()).toEqual(['b', 'a']);
  sessions.isOrderPaused = true;
  sessions.settle();
  sessions.apply([started(priced('c', 5))]);
  // It comes in by what the others were placed by.
  expect(sessions.order.get()).toEqual(['c', 'b', 'a']);
  sessions.isOrderPaused = false;
  sessions.settle();
  expect(sessions.order.get()).toEqual(['a', 'c', 'b']);
});

test('reading again does not move what is held', async () => {
  const page = [priced('b', 2), priced('a', 1)];
  const sessions = sorted(listing(page), '-cost');
  await sessions.load();
  page.splice(0, 2, { ...priced('a', 9), change: 2 }, priced('b', 2));
  sessions.isOrderPaused = true;
  await sessions.load();
  expect(sessions.order.get()).toEqual(['b', 'a']);
  sessions.isOrderPaused = false;
  await sessions.load();
  expect(sessions.order.get()).toEqual(['a', 'b']);
});

test.each([
  ['-changed', ['d', 'c', 'b', 'a']],
  ['changed', ['a', 'b', 'c', 'd']],
])('by %s, what was heard of last is at its end, page after page', async (text, expected) => {
  const rows = expected.map((id) => exampleSession({ id, change: id.charCodeAt(0) }));
  const sessions = sorted(listing(rows.slice(0, 2), rows.slice(2)), parseSort(text));
  await sessions.load();
  await sessions.loadMore();
  expect(sessions.order.get()).toEqual(expected);
  sessions.apply([started(exampleSession({ id: 'b', change: 999 }))]);
  sessions.settle();
  const others = expected.filter((id) => id !== 'b');
  expect(sessions.order.get()).toEqual(text === 'changed' ? [...others, 'b'] : ['b', ...others]);
});

test('what began outside of the time that is shown does not enter', async () => {
  const range: TimeRange = { kind: 'between', since_ms: 1e12, until_ms: 1e12 + 1000 };
  const sessions = sorted(listing([]), '-started', range);
  await sessions.load();
  const at = (id: string, ms: number) =>
    started(exampleSession({ id, started_at: new Date(ms).toISOString() }));
  sessions.apply([at('before', 1e12 - 1), at('in', 1e12), at('after', 1e12 + 1000)]);
  expect(sessions.order.get()).toEqual(['in']);
});

test('what a search left out is missing until a whole answer has come', async () => {
  const away = { part: 'history', why: 'Cannot reach it.', since: null } as const;
  const left = [[away], [], []];
  const api = {
    sessions: ({ cursor }: { cursor?: string }) =>
      Promise.resolve({
        sessions: [session(cursor ?? 'b', '10')],
        next_cursor: cursor === undefined ? 'a' : null,
        as_of: '',
        partial: left.shift(),
      } as SessionList),
  };
  const sessions = new Sessions(api as unknown as Api);
  await sessions.load();
  expect(sessions.unsearched.get()).toEqual([away]);
  await sessions.loadMore();
  expect(sessions.unsearched.get()).toEqual([away]);
  await sessions.load();
  expect(sessions.unsearched.get()).toEqual([]);
});

test('the list ends with the newest versions, in whatever order and however often they come', async () => {
  // The n-th is change n + 1: a new version of a session, or its deletion.
  const history = fc.array(
    fc.record({ id: fc.constantFrom('a', 'b', 'c'), isGone: fc.boolean() }),
    { minLength: 1, maxLength: 12 },
  );
  const arrivals = fc.array(fc.nat(99), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), arrivals, arrivals, async (all, nat, early, late) => {
      const messages = all.map(({ id, isGone }, at): StreamEvent => {
        const change = at + 1;
        return isGone
          ? { type: 'SessionDeleted', time: '', session_id: id, moved_to: null, change }
          : started(session(id, '10', 'running', change));
      });
      const stored = (changes: number) => {
        const rows = new Map<string, Session>();
        for (const one of messages.slice(0, changes)) {
          if (one.type === 'SessionStarted') rows.set(one.session_id, one.session);
          else if (one.type === 'SessionDeleted') rows.delete(one.session_id);
        }
        return [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      };
      const some = (numbers: readonly number[], from: readonly StreamEvent[]) =>
        numbers.flatMap((number) => from[number % from.length] ?? []);
      let answer = (_: SessionList) => {};
      const api = { sessions: () => new Promise<SessionList>((resolve) => (answer = resolve)) };
      const sessions = new Sessions(api as unknown as Api);
      const read = nat % (all.length + 1);

      sessions.apply(read === 0 ? [] : some(early, messages.slice(0, read)));
      const loading = sessions.load();
      sessions.apply(some(late, messages));
      answer({ sessions: stored(read), next_cursor: null, as_of: '' } as unknown as SessionList);
      await loading;
      for (const message of some([...early, ...late], messages)) sessions.apply([message]);
      sessions.apply([...messages].reverse());
      sessions.apply(some(early, messages));

      const shown = [...sessions.rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(shown).toEqual(stored(all.length));
    }),
  );
});

test('a row that no longer fits leaves the list of its query at once, and not the list of all', async () => {
  const unfit = { ...started(session('a', '10', 'completed', 2)), fits: false } as StreamEvent;
  const found = [session('b', '20'), session('a', '10')];
  const all = new Sessions(listing(found));
  const listed = { query: 'status:running', sort: '-started', range: ALL_TIME } as const;
  const running = new Sessions(listing(found), listed);
  for (const sessions of [all, running]) {
    await sessions.load();
    sessions.apply([unfit]);
  }
  expect(running.order.get()).toEqual(['b']);
  expect(all.order.get()).toEqual(['b', 'a']);
  expect(all.rows.get('a')?.status).toBe('completed');
});

test('read again because of what was left out, a list that was scrolled stays as long', async () => {
  const sessions = new Sessions(listing([session('c', '30')], [session('b', '20')]));
  await sessions.load();
  await sessions.loadMore();
  await sessions.load(true);
  expect(sessions.order.get()).toEqual(['c', 'b']);
});

test('after a gap what was known gives way to lower change numbers: the store may be another', async () => {
  const page = [session('a', '10', 'running', 500), session('b', '20', 'running', 500)];
  const sessions = new Sessions(listing(page));
  await sessions.load();
  page.splice(0, 2, session('a', '10', 'completed', 2), session('b', '20', 'running', 1));
  const loading = sessions.reload();
  sessions.apply([started(session('b', '20', 'failed', 3))]);
  await loading;
  expect(sessions.rows.get('a')?.status).toBe('completed');
  expect(sessions.rows.get('b')?.status).toBe('failed');
});
