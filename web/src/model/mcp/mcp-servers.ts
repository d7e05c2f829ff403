/** State of each MCP server of a session: requests, failures, last message. */
import type { McpEntry } from '../../api/types.ts';
import type { McpCall } from './mcp-calls.ts';

/**
 * `handshake`: protocol 2025-11-25 and before; `stateless`: from 2026-07-28 on, where every request
 * has its own metadata.
 */
type Era = 'handshake' | 'stateless';

export interface McpServer {
  readonly name: string;
  readonly version: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly era: Era | undefined;
  readonly transport: string | undefined;
  readonly state: 'connected' | 'closed' | 'reconnecting' | 'failed' | 'unknown';
  /** Step at which a connection failed: `spawn`, `initialize`, `discover`, `list`, … */
  readonly failedStep: string | undefined;
  readonly reason: string | undefined;
  readonly calls: number;
  readonly errors: number;
  readonly pending: number;
  readonly stderrLines: number;
  readonly slowest: McpCall | undefined;
  /** Time of its last message; undefined: there is none. */
  readonly last_message_ns: number | undefined;
}

const FIRST_STATELESS = '2026-07-28';

/** Servers in the order of their first message. */
export function serversOf(calls: readonly McpCall[]): McpServer[] {
  const spoken = new Map<string, McpCall[]>();
  for (const call of calls) {
    if (call.kind === 'transport' || call.kind === 'stderr') continue;
    const known = spoken.get(call.server);
    if (known === undefined) spoken.set(call.server, [call]);
    else known.push(call);
  }
  const beside = new Map<string, McpCall[]>();
  for (const call of calls) {
    if (call.kind !== 'transport' && call.kind !== 'stderr') continue;
    const only = spoken.size === 1 ? [...spoken.keys()][0] : undefined;
    const name = call.server !== '' ? call.server : (only ?? call.target);
    if (name === undefined) continue;
    if (!spoken.has(name)) {
      // Of two servers without names, nobody knows which one this is about.
      if (call.server === '' && spoken.size > 1) continue;
      spoken.set(name, []);
    }
    beside.set(name, [...(beside.get(name) ?? []), call]);
  }
  return [...spoken].map(([name, own]) => serverOf(name, own, beside.get(name) ?? []));
}

/**
 * Keys of spans → name of the server. A call may be reported by several spans; servers whose names
 * nobody knows are left out.
 */
export function toolServers(calls: readonly McpCall[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { method, server, direction, spanKey, rounds } of calls) {
    if (method !== 'tools/call' || direction === 'to_client' || server === '') continue;
    if (spanKey !== undefined) found.set(spanKey, server);
    for (const { request, response } of rounds) {
      for (const entry of [request, response]) {
        if (entry?.trace_id == null || entry.span_id === null) continue;
        found.set(`${entry.trace_id}.${entry.span_id}`, server);
      }
    }
  }
  return found;
}

function serverOf(name: string, calls: readonly McpCall[], beside: readonly McpCall[]): McpServer {
  const entries = calls.flatMap((call) =>
    call.rounds.flatMap(({ request, response }) => [request, response]),
  );
  const requests = calls.filter((call) => call.kind === 'call');
  const connection = beside.filter((call) => call.kind === 'transport').at(-1);
  const connectionEntry = connection?.rounds[0]?.request;
  const failed = requests.filter((call) => call.state === 'error' || call.state === 'unanswered');
  const protocolVersion = last(entries, (entry) => entry.protocol_version);
  const begun = requests.find((call) => BEGINNINGS.has(call.method));
  const failedStep =
    connectionEntry?.state === 'failed'
      ? (connectionEntry.step ?? 'spawn')
      : stepOf(requests, connectionEntry);
  return {
    name,
    version: last(entries, (entry) => entry.server_version),
    protocolVersion,
    era: eraOf(protocolVersion, begun),
    transport: last(entries, (entry) => entry.transport) ?? connectionEntry?.transport ?? undefined,
    state: stateOf(connectionEntry, requests, failedStep),
    failedStep,
    reason: connectionEntry?.text ?? undefined,
    calls: requests.length,
    errors: failed.length,
    pending: requests.filter((call) => call.state === 'pending').length,
    stderrLines: beside.filter((call) => call.kind === 'stderr').length,
    slowest: slowestOf(requests),
    last_message_ns: lastMessage_ns(calls),
  };
}

const BEGINNINGS = new Set(['initialize', 'server/discover']);

function eraOf(version: string | undefined, begun: McpCall | undefined): Era | undefined {
  if (begun?.method === 'initialize' && begun.state === 'ok') return 'handshake';
  if (version !== undefined) return version >= FIRST_STATELESS ? 'stateless' : 'handshake';
  if (begun === undefined) return undefined;
  return begun.method === 'initialize' ? 'handshake' : 'stateless';
}

/** The step that failed: as the connection reports it, else inferred from its requests. */
function stepOf(
  requests: readonly McpCall[],
  connectionEntry: McpEntry | undefined,
): string | undefined {
  const step = connectionEntry?.step ?? undefined;
  if (step !== undefined && connectionEntry?.state !== 'connected') return step;
  const wentWell = requests.some((call) => call.state === 'ok');
  const failed = requests.find(
    (call) =>
      (call.state === 'error' || call.state === 'unanswered') &&
      (BEGINNINGS.has(call.method) || call.method.endsWith('/list')),
  );
  if (failed === undefined) return undefined;
  if (failed.method.endsWith('/list')) return wentWellAfter(requests, failed) ? undefined : 'list';
  // A client that speaks both eras asks in the new one first.
  if (wentWell) return undefined;
  return failed.method === 'initialize' ? 'initialize' : 'discover';
}

function wentWellAfter(requests: readonly McpCall[], failed: McpCall): boolean {
  return requests.some((call) => call.state === 'ok' && call.offset_ns > failed.offset_ns);
}

function stateOf(
  connectionEntry: McpEntry | undefined,
  requests: readonly McpCall[],
  failedStep: string | undefined,
): McpServer['state'] {
  switch (connectionEntry?.state) {
    case 'failed':
    case 'reconnecting':
    case 'connected':
      return failedStep === undefined || connectionEntry.state === 'reconnecting'
        ? connectionEntry.state
        : 'failed';
    case 'disconnected':
      return failedStep === undefined ? 'closed' : 'failed';
  }
  if (failedStep !== undefined) return 'failed';
  return requests.some((call) => call.state === 'ok') ? 'connected' : 'unknown';
}

function slowestOf(requests: readonly McpCall[]): McpCall | undefined {
  let slowest: McpCall | undefined;
  for (const call of requests) if (tookOf(call) > tookOf(slowest)) slowest = call;
  return slowest;
}

function tookOf(call: McpCall | undefined): number {
  return call?.took_ns ?? -1;
}

function lastMessage_ns(calls: readonly McpCall[]): number | undefined {
  let last_ns: number | undefined;
  const add = (offset_ns: number | undefined) => {
    if (offset_ns !== undefined && offset_ns > (last_ns ?? Number.NEGATIVE_INFINITY))
      last_ns = offset_ns;
  };
  for (const call of calls) {
    if (call.direction === 'to_client') add(call.offset_ns);
    else if (call.state !== 'unanswered') add(call.end_ns);
    for (const note of call.notes) if (note.direction === 'to_client') add(note.offset_ns);
  }
  return last_ns;
}

function last(
  entries: readonly (McpEntry | undefined)[],
  read: (entry: McpEntry) => string | null,
): string | undefined {
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    const found = entry === undefined ? null : read(entry);
    if (found !== null) return found;
  }
  return undefined;
}
