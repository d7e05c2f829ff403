import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import {
  agent,
  allow,
  answer,
  ask,
  attach,
  CancelledError,
  cancellation,
  DeniedError,
  deny,
  edit,
  type Handle,
  onSignal,
  question,
  session,
  tool,
} from '../src/index.js';
import { Api, type Row } from './support/api.js';
import { gate } from './support/waiting.js';

let handle: Handle;
let api: Api;

beforeAll(() => {
  api = new Api();
  handle = attach({ url: inject('url'), token: inject('token'), serviceName: 'control-test' });
});
afterAll(() => handle.detach());

const ended = (count: number) => (rows: Row[]) =>
  rows.length >= count && rows.every(({ status }) => status !== 'running');

describe('a tool that asks', () => {
  test('runs with the arguments that were shown, once a person allows it', async () => {
    const deleteFile = tool(async (args: { path: string }) => `deleted ${args.path}`, {
      name: 'remove_file',
      ask: ({ path }) => `Delete ${path}?`,
    });
    const result = session({ id: 'allowed', title: 'Tidy up', user: 'ada', tags: ['a', 'b'] }, () =>
      agent(() => deleteFile({ path: '/tmp/a' }), { name: 'tidy' })(),
    );
    const request = await api.request('remove_file');
    expect(request).toMatchObject({
      kind: 'approval',
      prompt: 'Delete /tmp/a?',
      args_json: '{"path":"/tmp/a"}',
      session_id: 'allowed',
      can_always: true,
      default: 'deny',
    });
    const waiting = await api.rows('allowed', (rows) => rows.length === 2);
    expect(waiting.map(({ name, status }) => [name, status])).toEqual([
      ['invoke_agent tidy', 'running'],
      ['execute_tool remove_file', 'running'],
    ]);
    const reply = await api.answer(request, { decision: 'allow', reason: 'is a copy' });
    expect(reply).toMatchObject({ status: 200, body: { applied: true } });
    expect(await result).toBe('deleted /tmp/a');

    const rows = await api.rows('allowed', ended(2));
    const row = rows.find(({ name }) => name === 'execute_tool remove_file') as Row;
    const span = await api.span(row);
    expect(span.attributes).toMatchObject({
      'gen_ai.tool.name': 'remove_file',
      'gen_ai.tool.call.arguments': '{"path":"/tmp/a"}',
      'gen_ai.tool.call.result': '"deleted /tmp/a"',
      'user.id': 'ada',
    });
    const names = span.events.map(({ name }) => name);
    expect(names).toEqual([
      'inspector.request.opened',
      'inspector.request.closed',
      'inspector.decision',
    ]);
    expect(span.events[2]?.['attributes']).toMatchObject({
      'inspector.decision.action': 'continue',
      'inspector.decision.actor': 'Ada',
      'inspector.decision.reason': 'is a copy',
    });
    expect(await api.get('/sessions/allowed')).toMatchObject({ title: 'Tidy up' });
    const agentSpan = await api.span(rows.find(({ name }) => name.startsWith('invoke')) as Row);
    expect(agentSpan.attributes['inspector.tags']).toEqual(['a', 'b']);
  });

  test('runs with edited arguments; what JavaScript cannot hold is refused, and waits on', async () => {
    const pay = tool((args: { amount: number; to: string }) => args, { name: 'pay', ask: true });
    const result = session('edited', () => pay({ amount: 1, to: 'ada' }));
    const request = await api.request('pay');
    for (const [args_json, reason] of [
      ['{"amount": 9007199254740993, "to": "ada"}', /cannot represent 9007199254740993 exactly/],
      ['[1]', /must be a JSON object/],
    ] as const) {
      const refused = await api.answer(request, { decision: 'allow', args_json });
      expect(refused.body).toMatchObject({ applied: false });
      const again = await api.request('pay');
      expect(again.status).toBe('pending');
      expect(JSON.stringify(await api.get(`/requests/${request.id}`))).toMatch(reason);
    }
    await api.answer(request, { decision: 'allow', args_json: '{"to": "bob", "amount": 2.5}' });
    expect(await result).toEqual({ amount: 2.5, to: 'bob' });
    const [row] = await api.rows('edited', ended(1));
    const { events, attributes } = await api.span(row as Row);
    expect(attributes['gen_ai.tool.call.arguments']).toBe('{"to":"bob","amount":2.5}');
    expect(events.at(-1)?.['attributes']).toMatchObject({
      'inspector.decision.action': 'modify',
      'inspector.decision.before': '{"amount":1,"to":"ada"}',
    });
  });

  test('is denied by a person, and the reason is what the program gets', async () => {
    let hasRun = false;
    const drop = tool(() => (hasRun = true), { name: 'drop_table', ask: true });
    const result = session('denied', () => drop({}));
    const caught = result.catch((error: unknown) => error);
    await api.answer(await api.request('drop_table'), { decision: 'deny', reason: 'not today' });
    expect(await caught).toEqual(new DeniedError('drop_table', 'not today'));
    expect(hasRun).toBe(false);
    const [row] = await api.rows('denied', ended(1));
    expect((await api.span(row as Row)).attributes['error.type']).toBe('denied');
  });

  test('is denied when nobody answers, in its own time; or allowed, if its author said so', async () => {
    const slow = tool(() => 'ran', { name: 'slow', ask: true, timeoutMs: 50 });
    await expect(slow({})).rejects.toThrow('nobody answered in time');
    const lax = tool(() => 'ran', { name: 'lax', ask: true, timeoutMs: 50, default: 'allow' });
    expect(await lax({})).toBe('ran');
  });

  test('is denied if the program changed what was shown', async () => {
    const args = { path: '/tmp/a' };
    const result = tool(() => 'ran', { name: 'shifty', ask: true })(args);
    const caught = result.catch((error: unknown) => error);
    const request = await api.request('shifty');
    args.path = '/etc/passwd';
    const reply = await api.answer(request, { decision: 'allow' });
    expect(reply.body).toMatchObject({ applied: false });
    expect(String(await caught)).toContain('changed while the request was open');
  });

  test('asks once, if a person allows it always in this session', async () => {
    const list = tool((args: { n: number }) => args.n, { name: 'list', ask: true });
    await session('always', async () => {
      const first = list({ n: 1 });
      await api.answer(await api.request('list'), { decision: 'allow_always' });
      expect(await first).toBe(1);
      expect(await list({ n: 2 })).toBe(2);
    });
    const other = list({ n: 3 });
    await api.answer(await api.request('list'), { decision: 'allow' });
    expect(await other).toBe(3);
  });

  test('shows arguments that are no JSON, which can be allowed and not edited', async () => {
    const when = new Map([['a', new Date(0)]]);
    const result = tool((args: object) => args, { name: 'odd', ask: true })(when);
    const request = await api.request('odd');
    expect(request.args_json).toBeNull();
    expect(request.args_text).toContain('Map(1)');
    expect((await api.answer(request, { decision: 'allow', args_json: '{}' })).status).toBe(422);
    await api.answer(request, { decision: 'allow' });
    expect(await result).toBe(when);
  });
});

describe('code that decides', () => {
  test('allows, edits, answers and denies', async () => {
    const add = (decide: (args: { a: number }) => ReturnType<typeof deny> | undefined) =>
      tool(({ a }: { a: number }) => a + 1, { name: 'add', decide });
    expect(await add(() => undefined)({ a: 1 })).toBe(2);
    const wide = tool(({ a }: { a: number }) => a + 1, {
      name: 'add',
      decide: ({ a }) => (a < 0 ? answer(0) : a > 9 ? edit({ a: 9 }) : allow()),
    });
    expect([await wide({ a: 1 }), await wide({ a: -1 }), await wide({ a: 99 })]).toEqual([
      2, 0, 10,
    ]);
    await expect(add(() => deny('no sums'))({ a: 1 })).rejects.toThrow(DeniedError);
  });

  test('denies if it fails', async () => {
    const cause = new TypeError('oops');
    const broken = tool(() => 'ran', {
      name: 'broken',
      decide: () => {
        throw cause;
      },
    });
    await expect(broken({})).rejects.toMatchObject({ name: 'DeniedError', cause });
  });
});

test('a tool returns and throws what its function does, with its this, name and other arguments', async () => {
  const error = new RangeError('too far');
  const throws = tool(function far(this: unknown): string {
    throw error;
  });
  expect(throws.name).toBe('far');
  await expect(throws(undefined)).rejects.toBe(error);
  const holder = {
    factor: 3,
    times: tool(function times(this: { factor: number }, n: number, more: number) {
      return n * this.factor + more;
    }),
  };
  expect(await holder.times(2, 1)).toBe(7);
});

test('a tool that is an async generator yields what it yields, and is one span', async () => {
  const count = tool(
    async function* count(args: { to: number }) {
      for (let n = 1; n <= args.to; n++) yield n;
      return 'done';
    },
    { name: 'count' },
  );
  const seen: number[] = [];
  await session('generated', async () => {
    for await (const n of count({ to: 3 })) seen.push(n);
    for await (const _ of count({ to: 9 })) break;
  });
  expect(seen).toEqual([1, 2, 3]);
  const rows = await api.rows('generated', ended(2));
  expect(rows.map(({ status }) => status).sort()).toEqual(['cancelled', 'unset']);
});

test('options that are none of their values are an error, and grant nothing', async () => {
  expect(() => tool(() => 1, { ask: true, timeoutMs: Number.NaN, default: 'allow' })).toThrow(
    'timeoutMs must be a number above 0, not NaN',
  );
  expect(() => tool(() => 1, { ask: true, default: 'yes' as 'allow' })).toThrow(
    /'allow' or 'deny'/,
  );
  const bare = { action: 'ask', timeoutMs: Number.NaN, default: 'allow' } as const;
  await expect(tool(() => 1, { decide: () => bare })({})).rejects.toThrow(DeniedError);
  const late = tool(() => 1, { decide: () => ask('?', { timeoutMs: -1, default: 'allow' }) });
  await expect(late({})).rejects.toThrow(DeniedError);
  expect(() => session({ id: '' }, () => 1)).toThrow('session() needs an id.');
  expect(() => tool('no function' as never)).toThrow(TypeError);
});

describe('an operator', () => {
  test('pauses, steps and resumes what begins', async () => {
    const first = gate();
    const work = tool(async (args: { n: number }) => args.n, { name: 'work' });
    const done: number[] = [];
    const run = session('paused', () =>
      agent(async () => {
        await first.opened;
        for (const n of [1, 2, 3]) done.push(await work({ n }));
      })(),
    );
    await api.rows('paused', (rows) => rows.length === 1);
    const paused = await api.post('/sessions/paused/pause');
    expect(paused.body).toMatchObject({ applied: true, processes: 1 });
    first.open();
    await api.rows('paused', (rows) => rows.length === 2);
    expect(done).toEqual([]);
    await api.post('/sessions/paused/step');
    await api.rows('paused', (rows) => rows.length === 3);
    expect(done).toEqual([1]);
    expect(await api.get('/sessions/paused')).toMatchObject({ status: 'paused' });
    await api.post('/sessions/paused/resume');
    await run;
    expect(done).toEqual([1, 2, 3]);
  });

  test('cancels what runs, and what begins until it has ended', async () => {
    const seen: unknown[] = [];
    const stuck = tool(
      () => {
        cancellation()?.addEventListener('abort', () => seen.push('aborted'));
        return new Promise(() => {});
      },
      { name: 'stuck' },
    );
    const next = tool(() => 'ran', { name: 'next' });
    const run = session('cancelled', () =>
      agent(async () => {
        seen.push(await stuck({}).catch((error: unknown) => error));
        return next({});
      })(),
    );
    const caught = run.catch((error: unknown) => error);
    await api.rows('cancelled', (rows) => rows.length === 2);
    const cancelled = await api.post('/cancel/cancelled', { reason: 'enough' });
    expect(cancelled.body).toMatchObject({ applied: true });
    expect(await caught).toBeInstanceOf(CancelledError);
    expect(seen[0]).toBe('aborted');
    expect(String(seen[1])).toContain('cancelled by Ada (api): enough');
    const rows = await api.rows('cancelled', ended(3));
    expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await session('cancelled', () => next({}))).toBe('ran');
  });

  test('cancels what asks', async () => {
    const asks = tool(() => 'ran', { name: 'asks', ask: true });
    const caught = session('asked', () => asks({})).catch((error: unknown) => error);
    const request = await api.request('asks');
    await api.post('/cancel/asked');
    expect(await caught).toBeInstanceOf(CancelledError);
    expect(await api.get(`/requests/${request.id}`)).toMatchObject({ status: 'withdrawn' });
  });
});

test('a question is answered by a form, whose rules the answer has to keep', async () => {
  const form = {
    type: 'object',
    properties: { n: { type: 'integer', minimum: 1 } },
    required: ['n'],
  };
  const asked = session('asking', () => question('How many?', { form, signalName: 'count' }));
  const request = await api.request('How many?');
  const low = await api.answer(request, { decision: 'answer', payload_json: '{"n": 0}' });
  expect(low.body).toMatchObject({ applied: false });
  await api.post('/signal/asking', { signal_name: 'count', payload_json: '{"n": 4}' });
  expect(await asked).toEqual({
    decision: 'answer',
    payload: { n: 4 },
    reason: null,
    actor: 'Ada',
  });
});

test('a signal goes to whoever takes it', async () => {
  const waiting = gate();
  const run = session('signalled', () => agent(() => waiting.opened)());
  await api.rows('signalled', (rows) => rows.length === 1);
  const nobody = await api.post('/signal/signalled', { signal_name: 'go', payload_json: '{}' });
  expect(nobody.body).toMatchObject({ applied: false });
  const off = onSignal(({ name, payload }) => {
    if (name !== 'go') return false;
    expect(payload).toEqual({ by: 'ada' });
    waiting.open();
    return true;
  });
  const sent = await api.post('/signal/signalled', {
    signal_name: 'go',
    payload_json: '{"by": "ada"}',
  });
  expect(sent.body).toMatchObject({ applied: true });
  await run;
  off();
});

test('spans of any instrumentation are live, and belong to the session', async () => {
  const ending = gate();
  const run = session('foreign', () =>
    trace.getTracer('mine').startActiveSpan('outer', async (span) => {
      await ending.opened;
      span.end();
    }),
  );
  const [row] = await api.rows('foreign', (rows) => rows.length === 1);
  expect(row).toMatchObject({ name: 'outer', status: 'running' });
  ending.open();
  await run;
  const [after] = await api.rows('foreign', ended(1));
  expect(after?.span_id).toBe(row?.span_id);
});
