/**
 * Messages recorded on the wire, with each response joined to its request.
 *
 * Ids of JSON-RPC count within one connection, for each side on its own; a sender may use one
 * again, a recording may begin or end in the middle, and pages arrive in any order.
 */
import type { McpEntry } from '../../api/types.ts';

/** One JSON-RPC exchange, or the known half of it. */
export interface McpRound {
  readonly request?: McpEntry;
  readonly response?: McpEntry;
}

const RANK: Readonly<Partial<Record<McpEntry['type'], number>>> = { request: 0, response: 2 };

/** Compare entries by time; at the same time by what must come first, then by key. */
export function compareEntries(a: McpEntry, b: McpEntry): number {
  return (
    a.offset_ns - b.offset_ns ||
    (RANK[a.type] ?? 1) - (RANK[b.type] ?? 1) ||
    a.key.length - b.key.length ||
    (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  );
}

/** The connection of a record, as precisely as it says. */
export function connectionOf(entry: McpEntry): string {
  return JSON.stringify([entry.server, entry.connection ?? entry.trace_id]);
}

/** Join records of requests and responses, in order of the first of each. */
export function joinFrames(frames: readonly McpEntry[]): McpRound[] {
  const rounds: { request?: McpEntry; response?: McpEntry }[] = [];
  /** Open requests, oldest first. */
  const open = new Map<string, { request?: McpEntry; response?: McpEntry }[]>();
  for (const frame of [...frames].sort(compareEntries)) {
    if (frame.type === 'request') {
      const round = { request: frame };
      rounds.push(round);
      if (frame.rpc_id === null) continue;
      const place = placeOf(frame);
      const waiting = open.get(place);
      if (waiting === undefined) open.set(place, [round]);
      else waiting.push(round);
    } else if (frame.type === 'response') {
      const round = frame.rpc_id === null ? undefined : open.get(placeOf(frame))?.shift();
      if (round === undefined) rounds.push({ response: frame });
      else round.response = frame;
    }
  }
  return rounds;
}

/** Key that is equal for a request and its answer, which goes the other way. */
function placeOf(frame: McpEntry): string {
  const isToServer = (frame.direction === 'to_server') === (frame.type === 'request');
  return JSON.stringify([connectionOf(frame), isToServer, frame.rpc_id]);
}
