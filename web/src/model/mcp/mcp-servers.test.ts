import { expect, test } from 'vitest';
import { joinCalls } from './mcp-calls.ts';
import { exchange, frame } from './mcp-example.ts';
import { toolServers } from './mcp-servers.ts';

test('tools are of the server that their call names, or that another message of the connection does', () => {
  const entries = [
    frame({ key: 'm1', method: 'initialize', connection: 'c', server: 'files', rpc_id: '0' }),
    ...exchange('t.a', 1, 5, { connection: 'c', server: null }),
    ...exchange('t.b', 6, 9, { server: 'web' }),
    ...exchange('t.c', 10, undefined, { server: null }),
    ...exchange('t.d', 11, 12, { method: 'resources/read', server: 'web' }),
  ];
  const calls = joinCalls(entries, { parentOf: () => undefined, isLive: false });
  const byEnd = [...toolServers(calls)].map(([key, server]) => `${key.split('.')[1]} ${server}`);
  expect(byEnd.sort()).toEqual(['a files', 'b web']);
});
