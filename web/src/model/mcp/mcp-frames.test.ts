import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { McpEntry } from '../../api/types.ts';
import { frame } from './mcp-example.ts';
import { joinFrames } from './mcp-frames.ts';

/** Conversations of several connections, both ways, with ids that repeat between them. */
const wire = fc
  .array(
    fc.record({
      server: fc.constantFrom('a', 'b'),
      connection: fc.constantFrom('1', '2', null),
      direction: fc.constantFrom('to_server' as const, 'to_client' as const),
      rpc_id: fc.constantFrom('1', '2', '"1"', '"2"'),
      gap_ns: fc.integer({ min: 0, max: 5 }),
      took_ns: fc.integer({ min: 0, max: 40 }),
      has: fc.constantFrom('both', 'request', 'response'),
    }),
    { maxLength: 40 },
  )
  .map((drawn) => {
    let at_ns = 0;
    const busy = new Map<string, number>();
    return drawn.flatMap(({ gap_ns, took_ns, has, rpc_id, ...place }, number) => {
      at_ns += gap_ns + 1;
      const within = JSON.stringify([place, rpc_id]);
      // An id is used again at the earliest when it has been answered.
      const from_ns = Math.max(at_ns, (busy.get(within) ?? -1) + 1);
      busy.set(within, from_ns + took_ns);
      const back = place.direction === 'to_server' ? 'to_client' : 'to_server';
      const request = frame({ ...place, rpc_id, key: `m${number}q`, offset_ns: from_ns });
      const response = frame({
        ...place,
        rpc_id,
        key: `m${number}a`,
        type: 'response',
        direction: back,
        offset_ns: from_ns + took_ns,
      });
      return [{ request, response, has }];
    });
  });

function shuffled(frames: readonly McpEntry[], seed: number): McpEntry[] {
  return frames
    .map((one, at) => ({ one, by: Math.sin(seed + at * 97) }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one);
}

test('each response joins its own request, whatever the interleaving and the order of arrival', () => {
  fc.assert(
    fc.property(wire, fc.integer(), (exchanges, seed) => {
      const frames = exchanges.flatMap(({ request, response }) => [request, response]);
      const joined = joinFrames(shuffled(frames, seed)).map((round) => [
        round.request?.key,
        round.response?.key,
      ]);
      const wanted = exchanges.map(({ request, response }) => [request.key, response.key]);
      expect(new Set(joined.map(String))).toEqual(new Set(wanted.map(String)));
    }),
  );
});

test('every message is in exactly one round, also where halves are missing', () => {
  fc.assert(
    fc.property(wire, fc.integer(), (exchanges, seed) => {
      const frames = exchanges.flatMap(({ request, response, has }) =>
        has === 'both' ? [request, response] : has === 'request' ? [request] : [response],
      );
      const shown = joinFrames(shuffled(frames, seed)).flatMap(({ request, response }) =>
        [request?.key, response?.key].filter((key) => key !== undefined),
      );
      expect([...shown].sort()).toEqual(frames.map(({ key }) => key).sort());
    }),
  );
});

test('what is joined is of one connection, of one id, and goes opposite ways', () => {
  fc.assert(
    fc.property(wire, (exchanges) => {
      const frames = exchanges.flatMap(({ request, response, has }) =>
        has === 'response' ? [response] : [request, response],
      );
      for (const { request, response } of joinFrames(frames)) {
        if (request === undefined || response === undefined) continue;
        expect(request.direction).not.toBe(response.direction);
        expect([request.server, request.connection, request.rpc_id]).toEqual([
          response.server,
          response.connection,
          response.rpc_id,
        ]);
      }
    }),
  );
});

test('the number 1 and the text "1" are two ids', () => {
  const frames = [
    frame({ key: 'm1', rpc_id: '1', offset_ns: 1 }),
    frame({ key: 'm2', rpc_id: '"1"', offset_ns: 2 }),
    frame({ key: 'm3', rpc_id: '1', offset_ns: 3, type: 'response', direction: 'to_client' }),
  ];
  expect(joinFrames(frames).map(({ response }) => response?.key)).toEqual(['m3', undefined]);
});

test('ids named like parts of every object join like all others', () => {
  const frames = ['"__proto__"', '"constructor"', '"toString"'].flatMap((rpc_id, at) => [
    frame({ key: `q${at}`, rpc_id, server: '__proto__', offset_ns: at }),
    frame({
      key: `a${at}`,
      rpc_id,
      server: '__proto__',
      offset_ns: 10 + at,
      type: 'response',
      direction: 'to_client',
    }),
  ]);
  expect(joinFrames(frames).map(({ response }) => response?.key)).toEqual(['a0', 'a1', 'a2']);
});
