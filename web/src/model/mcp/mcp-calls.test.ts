import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { McpEntry } from '../../api/types.ts';
import { joinCalls, type McpCall } from './mcp-calls.ts';
import { exampleEntry, exchange, frame } from './mcp-example.ts';
import { callerOf, fits, flatRows, nestedRows } from './mcp-rows.ts';
import { serversOf } from './mcp-servers.ts';

/** `child → parent` of spans of one trace. */
function join(
  entries: readonly McpEntry[],
  parents: Readonly<Record<string, string>> = {},
  isLive = false,
): McpCall[] {
  const map = new Map(Object.entries(parents));
  return joinCalls(entries, { parentOf: (key) => map.get(key), isLive });
}

test('a span that tells of an exchange is one call, with its time and what came back', () => {
  const [call, ...others] = join(exchange('t.a', 10, 30));
  expect(others).toEqual([]);
  expect(call).toMatchObject({
    method: 'tools/call',
    target: 'search',
    server: 'files',
    spanKey: 't.a',
    offset_ns: 10,
    end_ns: 30,
    state: 'ok',
  });
});

test('a duplicate of another layer gives its id to the call that it tells of once more', () => {
  const duplicate = exchange('t.b', 12, 28, { duplicate_of: 't.a', rpc_id: '7', server: null });
  const calls = join([...exchange('t.a', 10, 30), ...duplicate]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.rounds[0]?.request?.rpc_id).toBe('7');
});

test('several duplicates of one call are its rounds, with what a person was asked between', () => {
  const calls = join([
    ...exchange('t.a', 10, 90, { text: '{"x":1}', form: 'message' }),
    ...exchange('t.b', 12, 20, { duplicate_of: 't.a', rpc_id: '7' }),
    ...exchange('t.c', 60, 80, { duplicate_of: 't.a', rpc_id: '8' }),
    exampleEntry({
      key: 'k1',
      type: 'asked',
      offset_ns: 30,
      trace_id: 't',
      span_id: 'a',
      text: '?',
    }),
    exampleEntry({ key: 'k2', type: 'answered', offset_ns: 50, trace_id: 't', span_id: 'a' }),
  ]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.rounds.map(({ request }) => request?.rpc_id)).toEqual(['7', '8']);
  expect(calls[0]?.notes.map(({ type }) => type)).toEqual(['asked', 'answered']);
});

test('a layer around the one with the messages tells of the same exchange', () => {
  const calls = join(
    [
      ...exchange('t.sdk', 10, 90, { rpc_id: '7', server: null, duplicate_of: 't.a' }),
      ...exchange('t.a', 11, 89, {
        rpc_id: '7',
        text: '{"id":7}',
        form: 'message',
        duplicate_of: 't.sdk',
      }),
    ],
    { 't.a': 't.sdk' },
  );
  expect(calls.map(({ key, server }) => [key, server])).toEqual([['t.a', 'files']]);
});

test('each round is told by its own layers, inside and around', () => {
  const text = { text: '{}', form: 'message' } as const;
  const [request, input] = exchange('t.tool', 10, 90, { ...text, rpc_id: '6' });
  const calls = join(
    [
      request as McpEntry,
      { ...(input as McpEntry), result_type: 'input_required', state_hash: 's' },
      ...exchange('t.sdk1', 11, 20, { rpc_id: '6', server: null }),
      ...exchange('t.sdk2', 60, 80, { rpc_id: '7', server: null }),
      ...exchange('t.rpc2', 61, 79, {
        ...text,
        rpc_id: '7',
        state_hash: 's',
        duplicate_of: 't.tool',
      }),
    ],
    { 't.sdk1': 't.tool', 't.sdk2': 't.tool', 't.rpc2': 't.sdk2' },
  );
  expect(calls).toHaveLength(1);
  expect(
    calls[0]?.rounds.map(({ request, response }) => [request?.rpc_id, response?.offset_ns]),
  ).toEqual([
    ['6', 20],
    ['7', 80],
  ]);
  expect(calls[0]?.state).toBe('ok');
});

test('a call goes on while a person is asked between its rounds', () => {
  const calls = join(
    [...exchange('t.a', 10, undefined), ...exchange('t.b', 12, 20, { duplicate_of: 't.a' })],
    {},
    true,
  );
  expect(calls.map(({ state, end_ns }) => [state, end_ns])).toEqual([['pending', undefined]]);
});

test('a call whose process was lost has no answer, whatever a layer below was through with', () => {
  const lost = exchange('t.a', 10, undefined).map((entry) => ({ ...entry, state: 'lost' }));
  const calls = join([...lost, ...exchange('t.b', 12, 20, { duplicate_of: 't.a' })]);
  expect(calls.map(({ state }) => state)).toEqual(['unanswered']);
});

test('the server’s own span of a call is its other end, not another call', () => {
  const far = exchange('t.c', 14, 22, { reporter: 'receiver' });
  const calls = join([...exchange('t.a', 10, 30), ...far], { 't.c': 't.b', 't.b': 't.a' });
  expect(calls).toHaveLength(1);
  expect(calls[0]?.farEnd?.response?.offset_ns).toBe(22);
});

test('a server’s span of which the client told nothing stands for itself', () => {
  expect(join(exchange('t.c', 14, 22, { reporter: 'receiver' }))).toHaveLength(1);
});

function rounds(hashes: readonly [string | null, string | null]): McpEntry[] {
  const [firstHash, secondHash] = hashes;
  const first = exchange('t.a', 10, 20, { rpc_id: '1' }).map((entry) =>
    entry.type === 'response'
      ? { ...entry, result_type: 'input_required', state_hash: firstHash }
      : entry,
  );
  const second = exchange('t.b', 40, 50, { rpc_id: '2' }).map((entry) =>
    entry.type === 'request'
      ? { ...entry, state_hash: secondHash, answers: [{ key: 'a', method: null, text: 'accept' }] }
      : entry,
  );
  return [...first, ...second];
}

test('a request that goes on from an input-required result is a round of the same call', () => {
  const calls = join(rounds(['s1', 's1']));
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ state: 'ok', offset_ns: 10, end_ns: 50 });
  expect(join(rounds([null, null]))).toHaveLength(1);
});

test('a request with the state of another call is no round of this one', () => {
  const calls = join(rounds(['s1', 's2']));
  expect(calls.map(({ state }) => state)).toEqual(['input', 'ok']);
});

test('two calls of one tool that wait for input go on each with its own state', () => {
  const entries = [
    ...rounds(['s1', 's1']),
    ...rounds(['s2', 's2']).map((entry) => ({
      ...entry,
      key: `x${entry.key}`,
      exchange: `x${entry.exchange}`,
      offset_ns: entry.offset_ns + 1,
    })),
  ];
  const calls = join(entries);
  expect(calls.map((call) => call.rounds.length)).toEqual([2, 2]);
  for (const call of calls) {
    expect(call.rounds[0]?.response?.state_hash).toBe(call.rounds[1]?.request?.state_hash);
  }
});

test('progress and cancellation go to the call that their token and id name', () => {
  const common = { server: 'files', connection: 'c' };
  const calls = join([
    frame({ ...common, key: 'm1', rpc_id: '1', progress_token: '1', offset_ns: 1, method: 'x' }),
    frame({ ...common, key: 'm2', rpc_id: '2', progress_token: '2', offset_ns: 2, method: 'x' }),
    frame({
      ...common,
      key: 'm3',
      type: 'notification',
      direction: 'to_client',
      method: 'notifications/progress',
      progress_token: '2',
      progress: { value: 1, total: 2, percent: 50, message: 'half' },
      offset_ns: 3,
    }),
    frame({
      ...common,
      key: 'm4',
      type: 'notification',
      method: 'notifications/cancelled',
      about_id: '1',
      offset_ns: 4,
    }),
  ]);
  expect(calls.map(({ key, state, notes }) => [key, state, notes.length])).toEqual([
    ['m1', 'cancelled', 1],
    ['m2', 'unanswered', 1],
  ]);
});

test('what a server asks during a call lies below it', () => {
  const elicitation = exchange('t.e', 15, 18, {
    method: 'elicitation/create',
    direction: 'to_client',
    reporter: 'receiver',
    target: null,
  });
  const calls = join([...exchange('t.a', 10, 30), ...elicitation], { 't.e': 't.a' });
  expect(calls.map(({ during }) => during)).toEqual([undefined, 't.a']);
  const rows = nestedRows(
    calls,
    () => undefined,
    () => false,
  );
  expect(rows.map((row) => (row.kind === 'call' ? row.depth : 0))).toEqual([0, 1, 2]);
});

test('on the wire the only call that is open is the one that a server asks during', () => {
  const place = { server: 'files', connection: 'c' };
  const wire = [
    frame({ ...place, key: 'm1', rpc_id: '1', method: 'tools/call', offset_ns: 1 }),
    frame({
      ...place,
      key: 'm2',
      rpc_id: '1',
      method: 'sampling/createMessage',
      direction: 'to_client',
      offset_ns: 2,
    }),
    frame({ ...place, key: 'm3', rpc_id: '1', type: 'response', offset_ns: 3 }),
    frame({
      ...place,
      key: 'm4',
      rpc_id: '1',
      type: 'response',
      direction: 'to_client',
      offset_ns: 4,
    }),
  ];
  const calls = join(wire);
  expect(calls.map(({ during, state }) => [during, state])).toEqual([
    [undefined, 'ok'],
    ['m1', 'ok'],
  ]);
});

test('a call without an answer is pending while the session goes on, and unanswered after', () => {
  const running = exchange('t.a', 10, undefined);
  expect(join(running, {}, true)[0]?.state).toBe('pending');
  const lost = running.map((entry) => ({ ...entry, state: 'lost' }));
  expect(join(lost)[0]?.state).toBe('unanswered');
});

test('a call is unanswered when its connection closed after it', () => {
  const closed = exampleEntry({
    key: 'k',
    type: 'transport',
    server: 'files',
    state: 'disconnected',
    text: 'exit status 1',
    offset_ns: 20,
  });
  const calls = join([...exchange('t.a', 10, undefined), closed], {}, true);
  expect(calls[0]?.state).toBe('unanswered');
  const [server] = serversOf(calls);
  expect(server).toMatchObject({ name: 'files', state: 'closed', errors: 1, pending: 0 });
});

test('tool errors and JSON-RPC errors are both errors, and told apart', () => {
  const tool = exchange('t.a', 1, 2, { fault: { kind: 'tool', code: null, message: 'no' } });
  const rpc = exchange('t.b', 3, 4, { fault: { kind: 'rpc', code: '-32602', message: 'bad' } });
  const calls = join([...tool, ...rpc]);
  expect(calls.map(({ state, fault }) => [state, fault?.kind])).toEqual([
    ['error', 'tool'],
    ['error', 'rpc'],
  ]);
  expect(serversOf(calls)[0]?.errors).toBe(2);
});

test('the era of a server is told by how it begins, or by its version', () => {
  const old = exchange('t.a', 1, 2, {
    method: 'initialize',
    protocol_version: '2025-11-25',
    target: null,
  });
  const young = exchange('t.b', 3, 4, {
    method: 'server/discover',
    protocol_version: '2026-07-28',
    server: 'young',
    target: null,
  });
  expect(serversOf(join([...old, ...young])).map(({ era }) => era)).toEqual([
    'handshake',
    'stateless',
  ]);
});

test.each([
  ['initialize', 'initialize'],
  ['server/discover', 'discover'],
  ['tools/list', 'list'],
])('a connection of which %s failed says so', (method, step) => {
  const failed = exchange('t.a', 1, 2, {
    method,
    target: null,
    fault: { kind: 'failed', code: 'ConnectionError', message: null },
  });
  expect(serversOf(join(failed))[0]).toMatchObject({ state: 'failed', failedStep: step });
});

test('a server that could not be started is there, with the step', () => {
  const failed = exampleEntry({
    key: 'k',
    type: 'transport',
    server: 'files',
    state: 'failed',
    step: 'spawn',
    text: 'no such file',
  });
  expect(serversOf(join([failed]))[0]).toMatchObject({ state: 'failed', failedStep: 'spawn' });
});

test('the log is the same whatever order its entries came in, and nothing is in it twice', () => {
  const entries = [
    ...rounds(['s1', 's1']),
    ...exchange('t.x', 5, 95, { target: 'other' }),
    ...exchange('t.y', 6, 90, { duplicate_of: 't.x', rpc_id: '3', target: 'other' }),
    ...exchange('t.z', 7, undefined, { reporter: 'receiver', target: 'other' }),
    frame({ key: 'm1', rpc_id: '1', offset_ns: 3, method: 'tools/list' }),
    frame({ key: 'm2', rpc_id: '1', offset_ns: 9, type: 'response', direction: 'to_client' }),
  ];
  const parents = { 't.z': 't.y', 't.y': 't.x', 't.b': 't.a' };
  const expected = join(entries, parents);
  fc.assert(
    fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
      expect(join(shuffled, parents)).toEqual(expected);
    }),
  );
  const keys = expected.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('parents in a circle end', () => {
  const parents = { 't.a': 't.b', 't.b': 't.a' };
  expect(join(exchange('t.a', 1, 2, { reporter: 'receiver', method: 'x' }), parents)).toHaveLength(
    1,
  );
  const call = join(exchange('t.a', 1, 2))[0];
  const row = { trace_id: 't', kind: 'mcp', duplicate_of: null };
  const spans = new Map([
    ['t.a', { ...row, span_id: 'a', parent_span_id: 'b' }],
    ['t.b', { ...row, span_id: 'b', parent_span_id: 'a' }],
  ]);
  expect(call && callerOf(call, (key) => spans.get(key) as never)).toBeUndefined();
});

test('what is looked for is found in names, texts and errors, in any case', () => {
  const calls = join([
    ...exchange('t.a', 1, 2, { text: '{"query":"Zürich"}', form: 'message' }),
    ...exchange('t.b', 3, 4, { fault: { kind: 'tool', code: null, message: 'Disk full' } }),
  ]);
  const all = {
    server: undefined,
    method: undefined,
    isErrorsOnly: false,
    hasNotifications: true,
    find: '',
  };
  expect(calls.filter((call) => fits(call, { ...all, find: 'ZÜRICH' }))).toHaveLength(1);
  expect(calls.filter((call) => fits(call, { ...all, find: 'disk' }))).toHaveLength(1);
  expect(calls.filter((call) => fits(call, { ...all, isErrorsOnly: true }))).toHaveLength(1);
  expect(flatRows(calls)).toHaveLength(2);
});
