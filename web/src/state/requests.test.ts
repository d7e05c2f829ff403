import { expect, test } from 'vitest';
import { type Api, ApiError } from '../api/client.ts';
import type {
  AnswerResult,
  Problem,
  Request,
  RequestList,
  StreamEvent,
  Unsearched,
} from '../api/types.ts';
import { exampleRequest } from '../model/examples.ts';
import { Requests } from './requests.ts';

const at = (seconds: number) => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;

function pending(id: string, values: Partial<Request> = {}): Request {
  return exampleRequest({ id, created_at: at(1), ...values });
}

function closed(id: string): Request {
  const { transitions } = exampleRequest();
  return pending(id, {
    status: 'answered',
    transitions: [
      ...transitions,
      { status: 'answered', at: at(9), actor: 'Ana', origin: 'browser', reason: null },
    ],
  });
}

function event(type: 'ApprovalRequested' | 'ApprovalResolved', request: Request): StreamEvent {
  return { type, time: '', session_id: request.session_id, request };
}
const opened = (request: Request) => event('ApprovalRequested', request);
const resolved = (request: Request) => event('ApprovalResolved', request);

interface Service {
  readonly partial?: Unsearched[];
  readonly pages?: readonly (readonly Request[])[];
  readonly one?: (id: string) => Promise<Request>;
  readonly answer?: () => Promise<AnswerResult>;
}

function service({ pages = [[]], partial = [], one, answer }: Service): Api {
  const refuse = () => Promise.reject(new ApiError(404, 'No such request.'));
  const list = async ({ cursor }: { cursor?: string }): Promise<RequestList> => {
    const index = Number(cursor ?? 0);
    return {
      requests: [...(pages[index] ?? [])],
      pending_count: 0,
      partial,
      next_cursor: index + 1 < pages.length ? String(index + 1) : null,
      as_of: 's.1',
    };
  };
  return { requests: list, request: one ?? refuse, answer: answer ?? refuse } as unknown as Api;
}

test('all that waits is read, the longest first', async () => {
  const requests = new Requests(
    service({
      pages: [
        [pending('b', { created_at: at(3) }), pending('c', { created_at: at(2) })],
        [pending('a')],
      ],
    }),
  );
  await requests.load();
  expect(requests.pending.get()).toEqual(['a', 'c', 'b']);
  expect(requests.state.get().kind).toBe('ready');
});

test('requests come and go with the feed, by session and by span', () => {
  const requests = new Requests(service({}));
  requests.apply([
    opened(pending('a', { session_id: 's1', trace_id: 't', span_id: 'x' })),
    opened(pending('b', { session_id: 's1', created_at: at(2) })),
  ]);
  expect(requests.ofSession.get('s1')).toEqual(['a', 'b']);
  expect(requests.ofSpan.get('s1 t.x')).toEqual(['a']);
  requests.apply([resolved({ ...closed('a'), session_id: 's1' })]);
  expect(requests.ofSession.get('s1')).toEqual(['b']);
  expect(requests.ofSpan.get('s1 t.x')).toBeUndefined();
  expect(requests.rows.get('a')?.status).toBe('answered');
});

test('a question comes with WaitingOnSignal', () => {
  const requests = new Requests(service({}));
  const moment = {
    time: '',
    session_id: 's',
    trace_id: 't',
    span_id: 'x',
    name: '',
    attributes: {},
  };
  requests.apply([
    { ...moment, type: 'WaitingOnSignal', request: null },
    { ...moment, type: 'WaitingOnSignal', request: pending('q', { kind: 'question' }) },
  ]);
  expect(requests.pending.get()).toEqual(['q']);
});

test('a list that was on its way does not bring back what the feed has closed', async () => {
  const requests = new Requests(service({ pages: [[pending('a')]] }));
  const loading = requests.load();
  requests.apply([resolved(closed('a'))]);
  await loading;
  expect(requests.pending.get()).toEqual([]);
});

test('what was opened while a list was on its way stays', async () => {
  const requests = new Requests(service({}));
  const loading = requests.load();
  requests.apply([opened(pending('new'))]);
  await loading;
  expect(requests.pending.get()).toEqual(['new']);
});

test('what waited before a gap and is not in the list is asked for by itself', async () => {
  const requests = new Requests(
    service({
      one: async (id) => {
        if (id === 'gone') throw new ApiError(404, 'No such request.');
        return closed(id);
      },
    }),
  );
  requests.apply([opened(pending('answered')), opened(pending('gone'))]);
  await requests.load();
  expect(requests.pending.get()).toEqual([]);
  expect(requests.rows.get('answered')?.status).toBe('answered');
  expect(requests.rows.get('gone')).toBeUndefined();
});

const AWAY = { type: '', title: '', status: 503, detail: '', code: 'writer_away' } as const;

test('what waits in a service that is away still waits, and the rest is read', async () => {
  const away: Unsearched = { part: 'writer', writer: 'eu', why: 'Away.', since: null };
  const requested: string[] = [];
  const requests = new Requests(
    service({
      pages: [[pending('us:new')]],
      partial: [away],
      one: async (id) => {
        requested.push(id);
        if (id === 'apac:b') throw new ApiError(503, 'Away.', AWAY as unknown as Problem);
        return closed(id);
      },
    }),
  );
  requests.apply([opened(pending('eu:a')), opened(pending('apac:b')), opened(pending('us:c'))]);
  await requests.load();
  expect(requests.state.get().kind).toBe('ready');
  expect(requests.unsearched.get()).toEqual([away]);
  expect(requested).toEqual(['apac:b', 'us:c']);
  expect(requests.pending.get()).toEqual(['apac:b', 'eu:a', 'us:new']);
});

test('a request is marked in the session that it belongs to, where two services have the span', () => {
  const requests = new Requests(service({}));
  const span = { trace_id: 't', span_id: 'x' };
  requests.apply([opened(pending('eu:a', { session_id: 'eu:s', ...span }))]);
  expect(requests.ofSpan.get('eu:s t.x')).toEqual(['eu:a']);
  expect(requests.ofSpan.get('us:s t.x')).toBeUndefined();
});

test('whoever was first is shown to the one who was second', async () => {
  const requests = new Requests(
    service({
      answer: () => Promise.reject(new ApiError(409, 'Ana (browser) answered this first.')),
      one: async (id) => closed(id),
    }),
  );
  requests.apply([opened(pending('a'))]);
  await requests.answer('a', { decision: 'deny' });
  expect(requests.sending.get('a')).toEqual({
    kind: 'failed',
    message: 'Ana (browser) answered this first.',
  });
  expect(requests.rows.get('a')?.status).toBe('answered');
  expect(requests.pending.get()).toEqual([]);
});

test('an answer is sent once, however often the button is pressed', async () => {
  let sent = 0;
  const requests = new Requests(
    service({
      answer: async () => {
        sent += 1;
        return { request: closed('a'), applied: null, message: '' };
      },
    }),
  );
  requests.apply([opened(pending('a'))]);
  await Promise.all([
    requests.answer('a', { decision: 'allow' }),
    requests.answer('a', { decision: 'allow' }),
  ]);
  expect(sent).toBe(1);
  expect(requests.sending.get('a')).toBeUndefined();
});

test('only a request that is new is news', () => {
  const requests = new Requests(service({}));
  const lists: string[][] = [];
  requests.onOpened = (list) => lists.push(list.map(({ id }) => id));
  requests.apply([opened(pending('a')), opened(pending('b'))]);
  requests.apply([opened(pending('a'))]);
  requests.apply([resolved(closed('b'))]);
  expect(lists).toEqual([['a', 'b']]);
});

test('closed requests are forgotten in the end, those that wait never', () => {
  const requests = new Requests(service({}));
  requests.apply([opened(pending('waits'))]);
  requests.apply(Array.from({ length: 700 }, (_, index) => resolved(closed(`old ${index}`))));
  expect(requests.rows.size).toBe(501);
  expect(requests.rows.get('waits')?.status).toBe('pending');
});

test('that the service did not answer is not said any more once it does', async () => {
  const requests = new Requests(
    service({ pages: [[pending('a')]], answer: () => Promise.reject(new Error('no answer')) }),
  );
  await requests.load();
  await requests.answer('a', { decision: 'allow' });
  expect(requests.sending.get('a')?.kind).toBe('failed');
  await requests.load();
  expect(requests.sending.get('a')).toBeUndefined();
});
