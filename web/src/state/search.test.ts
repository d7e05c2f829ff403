import { expect, test } from 'vitest';
import type { Api } from '../api/client.ts';
import type { SearchHit, SearchResult, Session } from '../api/types.ts';
import { Search } from './search.ts';

const hit = (session: string, span: number): SearchHit =>
  ({
    session_id: session,
    session_title: session,
    span: { trace_id: session, span_id: String(span) },
    excerpts: [],
  }) as unknown as SearchHit;
const session = (id: string) => ({ id, title: id }) as unknown as Session;

/** Answers these pages, one after another. */
function paged(...pages: Partial<SearchResult>[]) {
  const cursors: (string | undefined)[] = [];
  const search: Api['search'] = async ({ cursor }) => {
    cursors.push(cursor);
    const at = cursor === undefined ? 0 : Number(cursor);
    const next = at + 1 < pages.length ? String(at + 1) : null;
    return { sessions: [], spans: [], next_cursor: next, index: null, ...pages[at] };
  };
  return { api: { search } as unknown as Api, cursors };
}

test('what was found is grouped by session, in the order in which it was found', async () => {
  const { api } = paged({
    spans: [hit('b', 1), hit('a', 1), hit('b', 2)],
    sessions: [session('c'), session('a')],
  });
  const search = new Search(api, 'q');
  await search.more();
  const { sessions, spanCount } = search.found.get();
  expect(sessions.map(({ id, hits }) => [id, hits.length])).toEqual([
    ['b', 2],
    ['a', 1],
    ['c', 0],
  ]);
  expect(sessions[1]?.session?.id).toBe('a');
  expect(spanCount).toBe(3);
});

test('empty pages are read on; a span that moved to a later page is there once', async () => {
  const { api, cursors } = paged({}, {}, { spans: [hit('a', 1)] }, { spans: [hit('a', 1)] });
  const search = new Search(api, 'q');
  await search.more();
  expect(cursors).toEqual([undefined, '1', '2', '3']);
  expect(search.found.get()).toMatchObject({ spanCount: 1, hasMore: false });
  await search.more();
  expect(cursors.length).toBe(4);
});

test('reading stops where there is enough, and goes on when asked', async () => {
  const many = Array.from({ length: 40 }, (_, at) => hit('a', at));
  const { api, cursors } = paged({ spans: many }, { spans: [hit('b', 1)] });
  const search = new Search(api, 'q');
  await search.more();
  expect([cursors.length, search.found.get().hasMore]).toEqual([1, true]);
  await search.more();
  expect([cursors.length, search.found.get().hasMore]).toEqual([2, false]);
});

test('what could not be asked is asked again', async () => {
  const { api: answering } = paged({ spans: [hit('a', 1)] });
  let isThere = false;
  const asking: Api['search'] = (...parameters) =>
    isThere ? answering.search(...parameters) : Promise.reject(new Error('gone'));
  const search = new Search({ search: asking } as unknown as Api, 'q');
  await search.more();
  expect(search.state.get().kind).toBe('failed');
  isThere = true;
  await search.more();
  expect(search.state.get().kind).toBe('ready');
  expect(search.found.get().spanCount).toBe(1);
});

test('what an earlier page left out is still missing after a whole one', async () => {
  const away = { part: 'history', writer: null, why: 'Cannot reach it.', since: null } as const;
  const { api } = paged({ partial: [away] }, { partial: [], spans: [hit('a', 1)] });
  const search = new Search(api, 'q');
  await search.more();
  expect(search.found.get()).toMatchObject({ spanCount: 1, unsearched: [away] });
});
