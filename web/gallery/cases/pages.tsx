/** Cases of whole pages: recorded sessions, and states that no recording has. */
import type { StoreHealth, StreamEvent } from '../../src/api/types.ts';
import { exampleRequest, exampleSession } from '../../src/model/examples.ts';
import type { GalleryCase } from '../case.ts';
import { type Answers, AWAY, failure, ok, problem, silence } from '../service.ts';
import { Stage } from '../stage.tsx';

const HEIGHT_PX = 720;

const NO_SESSION: Answers = (path) =>
  path === '/sessions'
    ? ok('{"sessions": [], "next_cursor": null, "index": null, "as_of": "gallery.0"}')
    : undefined;

const OF_READER: Readonly<Record<string, unknown>> = {
  '/health': { writers: [{ name: 'eu' }, { name: 'us' }, { name: 'apac' }] },
  '/sessions': {
    sessions: [
      exampleSession({ id: 'eu:one', title: 'Stored in one service' }),
      exampleSession({ id: 'us:two', title: 'Stored in another' }),
    ],
    partial: [{ part: 'writer', writer: 'apac', why: 'The service does not answer.', since: null }],
    next_cursor: null,
    index: null,
    as_of: 'gallery.0',
  },
};

const READ_ONLY: StoreHealth = {
  state: 'read_only',
  since: '2026-01-01T10:00:00Z',
  message: 'attempt to write a readonly database: check who owns the file.',
};

const STORE_IS_READ_ONLY: readonly StreamEvent[] = [
  {
    type: 'Heartbeat',
    time: READ_ONLY.since,
    now_ns: String(BigInt(Date.now()) * 1_000_000n),
    store: READ_ONLY,
  },
];

const THOUSAND_PENDING: Answers = (path) => {
  if (path !== '/requests') return undefined;
  const requests = Array.from({ length: 200 }, (_, index) =>
    exampleRequest({ id: `many-${index}`, session_id: 'golden' }),
  );
  return ok(
    JSON.stringify({ requests, pending_count: 1000, next_cursor: null, as_of: 'gallery.0' }),
  );
};

function page(name: string, stage: Parameters<typeof Stage>[0]): GalleryCase {
  return { name, height: HEIGHT_PX, Shown: () => <Stage {...stage} /> };
}

export const cases: readonly GalleryCase[] = [
  page('page, sessions', {}),
  page('page, sessions, none', { answers: NO_SESSION }),
  page('page, sessions, loading', { answers: silence }),
  page('page, sessions, failed', { answers: failure }),
  page('page, sessions, stream lost', { stream: 'lost' }),
  page('page, sessions, store is read only', { events: STORE_IS_READ_ONLY }),
  page('page, sessions, of several services', {
    answers: (path) => (path in OF_READER ? ok(JSON.stringify(OF_READER[path])) : undefined),
  }),
  page('page, session', { at: 'sessions/demo-release' }),
  ...['waterfall', 'transcript', 'mcp', 'graph', 'statistics'].map((view) =>
    page(`page, session, ${view}`, { at: `sessions/demo-release?view=${view}` }),
  ),
  page('page, session, transcript of a tool', {
    at: 'sessions/demo-release?view=transcript&actor=tool:fetch_page',
  }),
  page('page, session, a span', {
    at: 'sessions/demo-release?view=waterfall&span=00000000000000000000000000000002.0000000000000007',
  }),
  page('page, session, golden', { at: 'sessions/golden?view=waterfall' }),
  page('page, session, loading', {
    at: 'sessions/golden',
    answers: (path) =>
      path.startsWith('/sessions/') ? silence(path, new URLSearchParams()) : undefined,
  }),
  page('page, session, unknown', { at: 'sessions/nobody-knows-it' }),
  page('page, session, in a history that is away', {
    at: 'sessions/demo-release',
    answers: (path) =>
      path === '/sessions/demo-release/spans'
        ? problem(503, 'History unavailable', AWAY)
        : undefined,
  }),
  page('page, waiting', { at: 'waiting' }),
  page('page, waiting, a thousand', { at: 'waiting', answers: THOUSAND_PENDING }),
  page('page, audit log', { at: 'audit' }),
  page('page, unknown', { at: 'nowhere/at/all' }),
];
