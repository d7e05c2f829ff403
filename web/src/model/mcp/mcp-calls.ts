/**
 * MCP log as calls: each exchange once, however many layers report it, with its rounds, its
 * progress and the questions to a person.
 *
 * Pure, and independent of the order of the entries. They come from the network: parents may be
 * missing or form circles.
 */
import type { McpEntry } from '../../api/types.ts';
import { compareEntries, connectionOf, joinFrames, type McpRound } from './mcp-frames.ts';

type CallState =
  | 'pending'
  | 'ok'
  /** An input-required result that no later call has answered. */
  | 'input'
  | 'error'
  | 'cancelled'
  /** No answer before the connection closed or the process was lost. */
  | 'unanswered';

export interface McpCall {
  /** Stable as long as the first entry of the call is known. */
  readonly key: string;
  readonly kind: 'call' | 'notification' | 'transport' | 'stderr';
  readonly direction: 'to_server' | 'to_client' | undefined;
  readonly method: string;
  readonly target: string | undefined;
  readonly server: string;
  /** `TRACE.SPAN` that the panel shows. */
  readonly spanKey: string | undefined;
  readonly offset_ns: number;
  readonly end_ns: number | undefined;
  /** Time between request and answer, if both are known. */
  readonly took_ns: number | undefined;
  readonly state: CallState;
  readonly fault: McpEntry['fault'];
  /** Rounds of the call: one, or more where the server asked for input (2026-07-28). */
  readonly rounds: readonly McpRound[];
  /** Progress, cancellation, questions and answers, by time. */
  readonly notes: readonly McpEntry[];
  /** Report of the other process about the same exchange. */
  readonly farEnd: McpRound | undefined;
  /** Key of the call during which the other side sent this one. */
  readonly during: string | undefined;
  /** Searchable text, in lower case. */
  readonly words: string;
}

interface JoinContext {
  /** Key of the span that a span lies in. */
  readonly parentOf: (spanKey: string) => string | undefined;
  /** Whether the session is running: an open call may still get its answer. */
  readonly isLive: boolean;
}

/** A call being assembled. */
interface Draft {
  first: McpEntry;
  rounds: McpRound[];
  reports: McpRound[];
  notes: McpEntry[];
  farEnd: McpRound | undefined;
  spanKeys: string[];
  during: string | undefined;
}

const MAX_ANCESTORS = 64;
/** Statuses of a span that has not ended. */
const OPEN: ReadonlySet<string> = new Set(['running', 'lost']);

export function joinCalls(entries: Iterable<McpEntry>, context: JoinContext): McpCall[] {
  const sorted = [...entries].sort(compareEntries);
  const drafts = foldReports(sorted, context);
  const calls = groupRounds(drafts.filter((draft) => draft.first.type !== 'notification'));
  const loose = drafts.filter((draft) => draft.first.type === 'notification');
  const standing = addNotes(sorted, calls, loose, context);
  const connections = sorted.filter((entry) => entry.type === 'transport');
  const all = [...calls, ...standing];
  placeDuring(all, context);
  const servers = nameServers(all);
  return [
    ...all.map((draft) => finished(draft, servers, connections, context)),
    ...sorted
      .filter((entry) => entry.type === 'transport' || entry.type === 'stderr')
      .map(lineCall),
  ].sort((a, b) => a.offset_ns - b.offset_ns || (a.key < b.key ? -1 : 1));
}

function begun(round: McpRound, spanKey: string | undefined): Draft | undefined {
  const first = round.request ?? round.response;
  if (first === undefined) return undefined;
  const spanKeys = spanKey === undefined ? [] : [spanKey];
  return {
    first,
    rounds: [round],
    reports: [],
    notes: [],
    farEnd: undefined,
    spanKeys,
    during: undefined,
  };
}

/** One draft for each exchange: duplicates, the other end and the wire are reports of it. */
function foldReports(sorted: readonly McpEntry[], { parentOf }: JoinContext): Draft[] {
  const bySpan = new Map<string, { request?: McpEntry; response?: McpEntry }>();
  const notifications: McpEntry[] = [];
  const frames: McpEntry[] = [];
  for (const entry of sorted) {
    if (entry.exchange !== null) {
      if (entry.type === 'notification') notifications.push(entry);
      else if (entry.type === 'request' || entry.type === 'response') {
        const round = bySpan.get(entry.exchange) ?? {};
        round[entry.type] = entry;
        bySpan.set(entry.exchange, round);
      }
    } else if (entry.type === 'request' || entry.type === 'response') frames.push(entry);
  }
  const own = new Map<string, Draft>();
  const later: Report[] = [];
  for (const [key, round] of bySpan) {
    const entry = round.request ?? round.response;
    if (entry === undefined) continue;
    const report = { key, round, entry };
    const duplicate = entry.duplicate_of === null ? undefined : bySpan.get(entry.duplicate_of);
    const duplicateEntry = duplicate?.request ?? duplicate?.response;
    // A later round is a duplicate of the whole call, and an exchange of its own.
    const isReportedThere =
      hasText(duplicate) && !(duplicateEntry && isOtherId(duplicateEntry, entry));
    const isFirst = entry.reporter !== 'receiver' && hasText(round) && !isReportedThere;
    if (isFirst) add(own, key, begun(round, key));
    else later.push(report);
  }
  // The report with the messages is the best; a layer around it may know of more than one.
  const within = new Map<string, Draft>();
  for (const [key, draft] of own) {
    const around = nearest(key, bySpan, parentOf, (round) => isSameExchange(draft.first, round));
    const aroundKey =
      around === undefined ? undefined : (around.request ?? around.response)?.exchange;
    if (aroundKey != null && !own.has(aroundKey)) within.set(aroundKey, draft);
  }
  for (const { key, round, entry } of later) {
    const isFar = entry.reporter === 'receiver';
    const duplicate = entry.duplicate_of === null ? undefined : own.get(entry.duplicate_of);
    const about =
      within.get(key) ??
      (duplicate !== undefined && !isOtherId(duplicate.first, entry) ? duplicate : undefined) ??
      nearest(
        key,
        own,
        parentOf,
        ({ first }) => first.method === entry.method && (isFar || !isOtherId(first, entry)),
      );
    if (about === undefined) add(own, key, begun(round, key));
    else {
      about.spanKeys.push(key);
      if (isFar) about.farEnd ??= round;
      else about.reports.push(round);
    }
  }
  const loose: Draft[] = [];
  for (const round of joinFrames(frames)) {
    const entry = round.request ?? round.response;
    const span = entry === undefined ? undefined : spanKeyOf(entry);
    const about =
      span === undefined || entry?.method == null
        ? undefined
        : (own.get(span) ??
          nearest(span, own, parentOf, (draft) => draft.first.method === entry.method));
    if (about !== undefined && about.first.method === entry?.method) about.reports.push(round);
    else {
      const draft = begun(round, span);
      if (draft !== undefined) loose.push(draft);
    }
  }
  for (const draft of own.values()) draft.rounds = roundsOf(draft);
  for (const entry of notifications) {
    const draft = begun({ request: entry }, entry.exchange ?? undefined);
    if (draft !== undefined) loose.push(draft);
  }
  for (const entry of sorted) {
    if (entry.type !== 'notification' || entry.exchange !== null || !isFrame(entry)) continue;
    const draft = begun({ request: entry }, spanKeyOf(entry));
    if (draft !== undefined) loose.push(draft);
  }
  return [...own.values(), ...loose];
}

interface Report {
  readonly key: string;
  readonly round: McpRound;
  readonly entry: McpEntry;
}

function hasText(round: McpRound | undefined): boolean {
  return round?.request?.text != null || round?.response?.text != null;
}

/** Whether a round is the exchange that begins with `first`, reported without its messages. */
function isSameExchange(first: McpEntry, round: McpRound): boolean {
  const entry = round.request ?? round.response;
  return (
    entry !== undefined &&
    !hasText(round) &&
    entry.reporter !== 'receiver' &&
    entry.method === first.method &&
    first.rpc_id !== null &&
    !isOtherId(first, entry)
  );
}

/**
 * Whether two entries have different ids; instrumentations write ids as text, whatever they are on
 * the wire.
 */
function isOtherId(a: McpEntry, b: McpEntry): boolean {
  if (a.rpc_id === null || b.rpc_id === null) return false;
  return a.rpc_id.replace(/^"|"$/g, '') !== b.rpc_id.replace(/^"|"$/g, '');
}

function add(drafts: Map<string, Draft>, key: string, draft: Draft | undefined): void {
  if (draft !== undefined) drafts.set(key, draft);
}

/** Whether an entry is a message recorded on the wire, not a span's report of it. */
function isFrame(entry: McpEntry): boolean {
  return entry.form === 'message';
}

/** The rounds of one exchange: the lower layer reports each, the upper one only the whole. */
function roundsOf({ rounds, reports }: Draft): McpRound[] {
  const whole = rounds[0] ?? {};
  const wire = reports.filter(({ request, response }) => (request ?? response)?.exchange === null);
  const parts = (wire.length > 0 ? wire : reports).sort((a, b) => startOf(a) - startOf(b));
  if (parts.length === 0) return rounds;
  if (parts.length === 1) return [merged(whole, parts[0] ?? {})];
  return parts.map((round, at) =>
    merged(
      {
        ...(at === 0 && whole.request !== undefined ? { request: whole.request } : {}),
        ...(at === parts.length - 1 && whole.response !== undefined
          ? { response: whole.response }
          : {}),
      },
      round,
    ),
  );
}

/**
 * One exchange from the reports of two layers: the upper one's words, the lower one's ids and
 * texts.
 */
function merged(upper: McpRound, lower: McpRound): McpRound {
  const request = both(upper.request, lower.request);
  const response = both(upper.response, lower.response);
  return {
    ...(request === undefined ? {} : { request }),
    ...(response === undefined ? {} : { response }),
  };
}

function both(upper: McpEntry | undefined, lower: McpEntry | undefined): McpEntry | undefined {
  if (upper === undefined || lower === undefined) return upper ?? lower;
  const text = lower.text !== null && isFrame(lower) ? lower : upper;
  return {
    ...text,
    exchange: upper.exchange,
    span_id: upper.span_id,
    trace_id: upper.trace_id,
    method: upper.method ?? lower.method,
    target: upper.target ?? lower.target,
    server: upper.server ?? lower.server,
    server_version: upper.server_version ?? lower.server_version,
    protocol_version: upper.protocol_version ?? lower.protocol_version,
    transport: upper.transport ?? lower.transport,
    rpc_id: lower.rpc_id ?? upper.rpc_id,
    fault: upper.fault ?? lower.fault,
    result_type: upper.result_type ?? lower.result_type,
    state: upper.state ?? lower.state,
    offset_ns: lower.offset_ns,
  };
}

/** Join calls that answer a request for input with the call that asked. */
function groupRounds(drafts: readonly Draft[]): Draft[] {
  const groups: Draft[] = [];
  const open = new Map<string, Draft[]>();
  for (const draft of [...drafts].sort((a, b) => compareEntries(a.first, b.first))) {
    const place = JSON.stringify([
      draft.first.server,
      draft.first.connection,
      draft.first.method,
      draft.first.target,
      draft.first.direction,
    ]);
    const waiting = open.get(place) ?? [];
    const group = [...waiting].reverse().find((one) => goesOn(one, draft));
    if (group === undefined) groups.push(draft);
    else {
      group.rounds.push(...draft.rounds);
      group.notes.push(...draft.notes);
      group.spanKeys.push(...draft.spanKeys);
      group.farEnd ??= draft.farEnd;
      open.set(
        place,
        waiting.filter((one) => one !== group),
      );
    }
    const whole = group ?? draft;
    if (whole.rounds.at(-1)?.response?.result_type === 'input_required') {
      open.set(place, [...(open.get(place) ?? []).filter((one) => one !== whole), whole]);
    }
  }
  return groups;
}

function goesOn(group: Draft, next: Draft): boolean {
  const question = group.rounds.at(-1)?.response;
  const request = next.rounds[0]?.request;
  if (question == null || request === undefined) return false;
  if (question.state_hash !== null || request.state_hash !== null) {
    return question.state_hash === request.state_hash;
  }
  if (request.answers.length > 0) return true;
  // Nothing was captured of it: a second call of the same, in the same trace, is taken for it.
  return request.text === null && request.trace_id === question.trace_id;
}

/** Add progress, cancellation and questions to the call that they are about; return the rest. */
function addNotes(
  sorted: readonly McpEntry[],
  calls: readonly Draft[],
  loose: readonly Draft[],
  { parentOf }: JoinContext,
): Draft[] {
  const bySpan = new Map<string, Draft>();
  const byToken = new Map<string, Draft>();
  const byId = new Map<string, Draft>();
  for (const draft of calls) {
    for (const key of draft.spanKeys) bySpan.set(key, draft);
    for (const { request } of draft.rounds) {
      if (request === undefined) continue;
      const connection = connectionOf(request);
      if (request.progress_token !== null) {
        byToken.set(`${connection} ${request.progress_token}`, draft);
      }
      if (request.rpc_id !== null) byId.set(`${connection} ${request.rpc_id}`, draft);
    }
  }
  const standing: Draft[] = [];
  for (const draft of loose) {
    const { first } = draft;
    const connection = connectionOf(first);
    const about =
      first.method === 'notifications/progress'
        ? byToken.get(`${connection} ${first.progress_token}`)
        : first.method === 'notifications/cancelled'
          ? byId.get(`${connection} ${first.about_id}`)
          : undefined;
    if (about === undefined) standing.push(draft);
    else about.notes.push(first);
  }
  for (const entry of sorted) {
    const isNote =
      entry.type === 'asked' ||
      entry.type === 'answered' ||
      (entry.type === 'notification' && entry.exchange === null && !isFrame(entry));
    const span = spanKeyOf(entry);
    if (!isNote || span === undefined) continue;
    (bySpan.get(span) ?? nearest(span, bySpan, parentOf))?.notes.push(entry);
  }
  for (const draft of calls) draft.notes = withoutRepeats(draft.notes);
  return standing;
}

/** Notes without duplicates: a question may be reported by its session and by its request. */
function withoutRepeats(notes: readonly McpEntry[]): McpEntry[] {
  const sorted = [...notes].sort(compareEntries);
  const requests = new Set<string>();
  const questions = new Set<string>();
  return sorted.filter((note) => {
    if (note.type === 'asked') {
      if (note.about_id !== null) requests.add(note.about_id);
      const isNew = !questions.has(note.text ?? '');
      questions.add(note.text ?? '');
      return isNew;
    }
    if (note.type !== 'answered') return true;
    questions.clear();
    return note.about_id === null || requests.has(note.about_id);
  });
}

/** Put requests of a server below the call that it works on. */
function placeDuring(drafts: readonly Draft[], { parentOf }: JoinContext): void {
  const bySpan = new Map<string, Draft>();
  for (const draft of drafts) {
    if (draft.first.direction === 'to_client') continue;
    for (const key of draft.spanKeys) bySpan.set(key, draft);
  }
  const calls = drafts
    .filter(({ first }) => first.direction === 'to_server' && first.type === 'request')
    .sort((a, b) => a.first.offset_ns - b.first.offset_ns);
  for (const draft of drafts) {
    if (draft.first.direction !== 'to_client' || draft.first.type === 'response') continue;
    const span = draft.spanKeys[0];
    const above = span === undefined ? undefined : nearest(span, bySpan, parentOf);
    draft.during = keyOf(above ?? onlyOpen(calls, draft.first));
  }
}

const MOST_LOOKED_AT = 50;

/** The only open call of the connection; undefined if there are several. */
function onlyOpen(calls: readonly Draft[], at: McpEntry): Draft | undefined {
  const connection = connectionOf(at);
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle]?.first.offset_ns ?? 0) <= at.offset_ns) low = middle + 1;
    else high = middle;
  }
  let found: Draft | undefined;
  for (let place = low - 1; place >= Math.max(0, low - MOST_LOOKED_AT); place -= 1) {
    const call = calls[place];
    if (call === undefined || connectionOf(call.first) !== connection) continue;
    const end = call.rounds.at(-1)?.response?.offset_ns ?? Number.POSITIVE_INFINITY;
    if (end < at.offset_ns) continue;
    if (found !== undefined) return undefined;
    found = call;
  }
  return found;
}

function keyOf(draft: Draft | undefined): string | undefined {
  return draft === undefined ? undefined : (draft.first.exchange ?? draft.first.key);
}

/** Names of servers by connection: one message with the name covers the others. */
function nameServers(drafts: readonly Draft[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const draft of drafts) {
    const name = serverIn(draft);
    const { connection } = draft.first;
    if (name !== undefined && connection !== null) names.set(connection, name);
  }
  return names;
}

function serverIn(draft: Draft): string | undefined {
  const entries = [...draft.rounds, draft.farEnd].flatMap((round) => [
    round?.request,
    round?.response,
  ]);
  return entries.find((entry) => entry?.server != null)?.server ?? undefined;
}

function finished(
  draft: Draft,
  servers: ReadonlyMap<string, string>,
  connections: readonly McpEntry[],
  context: JoinContext,
): McpCall {
  const { first, rounds, notes } = draft;
  const last = rounds.at(-1) ?? {};
  const isNotification = first.type === 'notification';
  const server = serverIn(draft) ?? servers.get(first.connection ?? '') ?? '';
  // A layer below may be through with a round while the whole goes on.
  const open =
    rounds.map(({ request }) => request?.state).find((state) => state != null && OPEN.has(state)) ??
    undefined;
  const isRunning = open !== undefined;
  const end_ns = isNotification
    ? first.offset_ns
    : isRunning
      ? undefined
      : last.response?.offset_ns;
  const fault = last.response?.fault ?? (isNotification ? first.fault : null);
  const request = rounds[0]?.request;
  return {
    key: keyOf(draft) ?? first.key,
    kind: isNotification ? 'notification' : 'call',
    direction:
      request?.direction ??
      (first.type === 'response'
        ? first.direction === 'to_client'
          ? 'to_server'
          : 'to_client'
        : (first.direction ?? undefined)),
    method: request?.method ?? draft.farEnd?.request?.method ?? first.method ?? '',
    target: request?.target ?? draft.farEnd?.request?.target ?? undefined,
    server,
    spanKey: first.exchange ?? spanKeyOf(first),
    offset_ns: first.offset_ns,
    end_ns,
    took_ns:
      request === undefined || end_ns === undefined || isNotification
        ? undefined
        : end_ns - first.offset_ns,
    state: isNotification
      ? fault === null
        ? 'ok'
        : 'error'
      : stateOf(
          open === undefined ? last : ofRequest(last.request, open),
          notes,
          server,
          connections,
          context,
        ),
    fault,
    rounds,
    notes,
    farEnd: draft.farEnd,
    during: draft.during,
    words: wordsOf(draft, server),
  };
}

/** A round of which only the request is known. */
function ofRequest(request: McpEntry | undefined, state: string): McpRound {
  return request === undefined ? {} : { request: { ...request, state } };
}

function stateOf(
  { request, response }: McpRound,
  notes: readonly McpEntry[],
  server: string,
  connections: readonly McpEntry[],
  { isLive }: JoinContext,
): CallState {
  if (response !== undefined) {
    if (response.fault?.kind === 'cancelled') return 'cancelled';
    if (response.fault?.kind === 'failed') return 'unanswered';
    if (response.fault !== null) return 'error';
    return response.result_type === 'input_required' ? 'input' : 'ok';
  }
  if (notes.some(({ method }) => method === 'notifications/cancelled')) return 'cancelled';
  const from_ns = request?.offset_ns ?? 0;
  const isClosed = connections.some(
    (entry) =>
      (entry.state === 'disconnected' || entry.state === 'failed') &&
      entry.offset_ns >= from_ns &&
      (entry.server === null ? server === '' : entry.server === server) &&
      (entry.connection === null || entry.connection === request?.connection),
  );
  if (request?.state === 'lost' || isClosed) return 'unanswered';
  return isLive || request?.state === 'running' ? 'pending' : 'unanswered';
}

/** A call without an exchange: a change of a connection, or a line of a server's output. */
function lineCall(entry: McpEntry): McpCall {
  const isTransport = entry.type === 'transport';
  const isBad = entry.state === 'failed';
  return {
    key: entry.key,
    kind: isTransport ? 'transport' : 'stderr',
    direction: undefined,
    method: isTransport ? (entry.state ?? 'connection') : 'stderr',
    target: entry.target ?? undefined,
    server: entry.server ?? '',
    spanKey: spanKeyOf(entry),
    offset_ns: entry.offset_ns,
    end_ns: entry.offset_ns,
    took_ns: undefined,
    state: isTransport && isBad ? 'error' : 'ok',
    fault: null,
    rounds: [{ request: entry }],
    notes: [],
    farEnd: undefined,
    during: undefined,
    words: [entry.type, entry.state, entry.server, entry.target, entry.text]
      .join(' ')
      .toLowerCase(),
  };
}

function wordsOf(draft: Draft, server: string): string {
  const parts: (string | null | undefined)[] = [server];
  for (const { request, response } of draft.rounds) {
    parts.push(request?.method, request?.target, request?.rpc_id, request?.text);
    parts.push(response?.text, response?.fault?.code, response?.fault?.message);
  }
  for (const note of draft.notes) parts.push(note.text, note.progress?.message);
  return parts.filter(Boolean).join(' ').toLowerCase();
}

/** The nearest known span above that matches. */
function nearest<T>(
  key: string,
  known: ReadonlyMap<string, T>,
  parentOf: (key: string) => string | undefined,
  fits: (found: T) => boolean = () => true,
): T | undefined {
  let at = parentOf(key);
  for (let steps = 0; at !== undefined && steps < MAX_ANCESTORS; steps += 1) {
    const found = known.get(at);
    if (found !== undefined && fits(found)) return found;
    at = parentOf(at);
  }
  return undefined;
}

function spanKeyOf(entry: McpEntry): string | undefined {
  return entry.trace_id === null || entry.span_id === null
    ? undefined
    : `${entry.trace_id}.${entry.span_id}`;
}

function startOf({ request, response }: McpRound): number {
  return (request ?? response)?.offset_ns ?? 0;
}
