import { expect, test } from 'vitest';
import type { Api } from '../api/client.ts';
import type { Session, SessionList, StreamEvent } from '../api/types.ts';
import { Sessions } from './sessions.ts';

const session = (id: string, epoch_ns: string, status = 'running') =>
  ({ id, epoch_ns, status }) as Session;

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
  sessions.apply([{ type: 'SessionDeleted', time: '', session_id: 'a', moved_to: 'b' }]);
  expect(sessions.order.get()).toEqual(['b']);
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
