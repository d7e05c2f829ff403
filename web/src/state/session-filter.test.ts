import { expect, test } from 'vitest';
import { type Api, ApiError } from '../api/client.ts';
import type { Session, SessionList, StreamEvent } from '../api/types.ts';
import { SessionFilter, type Timers } from './session-filter.ts';
import { Sessions } from './sessions.ts';

const session = (id: string, epoch_ns: string, status = 'running') =>
  ({ id, epoch_ns, status, users: [] as string[], change: 1 }) as Session;

const updated = (row: Session): StreamEvent => ({
  type: 'SessionUpdated',
  moved_from: null,
  moved_change: null,
  time: '',
  session_id: row.id,
  session: row,
});

class FakeTimers implements Timers {
  readonly waiting = new Map<number, () => void>();
  private next = 1;

  set(callback: () => void): number {
    this.waiting.set(this.next, callback);
    return this.next++;
  }

  clear(timer: number): void {
    this.waiting.delete(timer);
  }

  /** Let time pass until all has happened that waits now. */
  async ring(): Promise<void> {
    const due = [...this.waiting.values()];
    this.waiting.clear();
    for (const callback of due) callback();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A service whose sessions say what queries they fit, one a page. */
function service(fitting: Record<string, Session[]>) {
  const requests: string[] = [];
  const api = {
    sessions: async ({ q = '', cursor = '0' }: { q?: string; cursor?: string }) => {
      requests.push(`${q}@${cursor}`);
      const found = fitting[q];
      if (found === undefined) {
        const problem = { code: 'bad_query', position: 0, length: 3 };
        throw new ApiError(400, 'There is no such field.', problem as ApiError['problem'] & object);
      }
      const at = Number(cursor);
      const next_cursor = at + 1 < found.length ? String(at + 1) : null;
      return {
        sessions: found.slice(at, at + 1),
        next_cursor,
        index: null,
      } as unknown as SessionList;
    },
  } as unknown as Api;
  return { api, requests };
}

function filterOf(fitting: Record<string, Session[]>) {
  const { api, requests } = service(fitting);
  const timers = new FakeTimers();
  const all = new Sessions(api);
  const filter = new SessionFilter(all, api, timers);
  return { filter, all, timers, requests };
}

/** As when one has seen all sessions, and begins to type. */
function typedFilterOf(fitting: Record<string, Session[]>) {
  const made = filterOf(fitting);
  made.filter.ask('');
  return made;
}

test('a filter of the address is asked at once, and nothing else is shown meanwhile', async () => {
  const { filter, all, requests } = filterOf({ '': [session('b', '2')], one: [session('a', '1')] });
  await all.load();
  filter.ask('one');
  expect(filter.shown.get().order.get()).toEqual([]);
  expect(filter.shown.get().state.get().kind).toBe('loading');
  await expect.poll(() => filter.shown.get().order.get()).toEqual(['a']);
  expect(requests).toEqual(['@0', 'one@0']);
  expect(filter.isAsking.get()).toBe(false);
});

test('where the filter of the address is refused, all is shown beside what is wrong', async () => {
  const { filter, all } = filterOf({ '': [session('b', '2')] });
  await all.load();
  filter.ask('what');
  await expect.poll(() => filter.refused.get()?.query).toBe('what');
  expect(filter.shown.get()).toBe(all);
});

test('the service is asked once typing has ended, and short pages are followed', async () => {
  const rows = [session('c', '3'), session('b', '2'), session('a', '1')];
  const { filter, all, timers, requests } = typedFilterOf({ 'kind:llm': rows });
  filter.ask('kind');
  filter.ask('kind:llm');
  expect(filter.isAsking.get()).toBe(true);
  expect(filter.shown.get()).toBe(all);
  await timers.ring();
  expect(requests).toEqual(['kind:llm@0', 'kind:llm@1', 'kind:llm@2']);
  expect(filter.shown.get().order.get()).toEqual(['c', 'b', 'a']);
  expect(filter.isAsking.get()).toBe(false);
  filter.ask('');
  expect(filter.shown.get()).toBe(all);
});

test('what changes is asked about again, once for many changes', async () => {
  const fitting = { 'status:running': [session('b', '2'), session('a', '1')] };
  const { filter, timers, requests } = typedFilterOf(fitting);
  filter.ask('status:running');
  await timers.ring();
  requests.length = 0;
  fitting['status:running'] = [session('c', '3'), session('b', '2')];
  filter.apply([updated(session('c', '3')), updated(session('a', '1', 'failed'))]);
  filter.apply([updated(session('b', '2'))]);
  expect(filter.shown.get().order.get()).toEqual(['b', 'a']);
  expect(filter.shown.get().rows.get('a')?.status).toBe('failed');
  await timers.ring();
  expect(filter.shown.get().order.get()).toEqual(['c', 'b']);
  expect(requests).toEqual(['status:running@0', 'status:running@1']);
});

test('what is wrong with a query is known with its place, and the list stays', async () => {
  const { filter, all, timers } = typedFilterOf({});
  filter.ask('kin:llm');
  await timers.ring();
  const state = filter.refused.get()?.state.get();
  expect(state).toMatchObject({ kind: 'failed', problem: { position: 0, length: 3 } });
  expect(filter.shown.get()).toBe(all);
  filter.ask('');
  expect(filter.refused.get()).toBeUndefined();
});

test('an answer that comes after another query was asked is not shown', async () => {
  const { filter, timers } = typedFilterOf({ one: [session('a', '1')], two: [session('b', '2')] });
  filter.ask('one');
  const ringing = timers.ring();
  filter.ask('two');
  await ringing;
  await timers.ring();
  expect(filter.shown.get().order.get()).toEqual(['b']);
});
