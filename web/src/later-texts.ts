/**
 * The catalogue's sections of views that are loaded later: the first load has none of them.
 *
 * Otherwise as `texts.ts`.
 */
import { groupThousands, plural } from './model/text/format.ts';

/** Keys of widgets. */
export const WIDGET_TEXT = {
  where: 'Lists, trees and fields',
  row: 'previous, next row, request or entry',
  tree: 'in a tree: collapse or go to the parent, expand or go in',
  tabs: 'in tabs: previous, next tab; on a divider: move it',
  ends: 'first, last row; a page up, down',
  time: 'on the time line: start, end; previous, next event',
  play: 'on the time line: play, pause',
  open: 'open',
  suggestion: 'in a query: accept the first suggestion',
  leave: 'clear the field, then leave it',
} as const;

/** The footer of the list of keys; `key` opens the palette. */
export function paletteHint(key: string): string {
  return `The palette (${key}) has every action, also those without a key.`;
}

export const BULK_TEXT = {
  selectAll: (count: number | undefined) =>
    count === undefined ? 'Select all' : `Select all ${groupThousands(count)}`,
  onlyFirst: (count: number) => `Only the first ${groupThousands(count)} are selected.`,
  exportStopped: 'Stopped. No file written.',
  nothingExported: 'No file written.',
  exported: (count: number, name: string, size: string) =>
    `${plural(count, 'session')} in ${name}, ${size}. To read them again, drop the file here or use \`inspector import\`.`,
  leftOpen: (status: string) => `Skipped: it is ${status}.`,
  deleted: (count: number, isStopped: boolean) =>
    `${isStopped ? 'Stopped: ' : ''}${plural(count, 'session')} deleted.`,
  withOpen: (count: number, waiting: number) =>
    `Also delete ${plural(count, 'session')} still running or waiting${
      waiting > 0 ? ` (${waiting} for a person)` : ''
    }. Their agents continue: new spans start a new session, and open requests fall back to their default.`,
  notLoaded: (count: number, withOpen: boolean) =>
    `${plural(count, 'session')} of them not yet loaded${
      withOpen ? '.' : '; running and waiting ones are skipped.'
    }`,
} as const;

/** What the context of an LLM call consists of, in its panel and over a session. */
export const CONTEXT_TEXT = {
  title: 'Context',
  parts: {
    system: 'System',
    tools: 'Tools',
    history: 'History',
    retrieved: 'Retrieved',
    tool_results: 'Tool results',
    other: 'Other',
  },
  about: {
    system: 'Instructions',
    tools: 'Definitions of the tools offered',
    history: 'What users and models wrote, and the calls of tools',
    retrieved: 'What a retrieval returned, wherever it stands',
    tool_results: 'Results of tools',
    other: 'Everything else',
  },
  tokens: (count: string) => `≈ ${count} tokens`,
  characters: (count: string) => `${count} characters`,
  estimated: 'By characters, scaled to the input tokens that the call reports',
  cached: (share: string) => `${share} cached`,
  cachedTitle: 'Caches hold the beginning of a context',
  cachedUpTo: 'cached up to here',
  sent: (count: string) => `${count} tokens`,
  repeated: (amount: string) => `${amount} repeated`,
  repeatedTitle: 'The same text stands in this context before',
  repeats: (place: number) => (place === 0 ? 'same as a tool' : `same as in message ${place}`),
  message: (place: number) => `Message ${place}`,
  dropped: (amount: string) => `${amount} dropped`,
  somethingDropped: 'something dropped',
  droppedTitle: 'Sent with the call before of the same agent, and not with this one',
  droppedSince: (amount: string) => `${amount} dropped since the call before`,
  before: 'Open the call before',
  media: (count: number) =>
    count === 1
      ? '1 picture or file is not measured.'
      : `${count} pictures or files are not measured.`,
  more: (count: number) => `${count} more`,
  stream: 'Context over the session',
  streamNote: 'what each LLM call was sent, by start',
  call: (place: number, count: number) => `LLM call ${place} of ${count}`,
  upTo: (amount: string) => `up to ${amount}`,
  leftOut: (count: number) =>
    count === 1 ? '1 later LLM call was not read' : `${count} later LLM calls were not read`,
} as const;

/** Names of facts about a request, by OpenTelemetry's name for each. */
export const PROTOCOL_TEXT = {
  http: {
    title: 'HTTP',
    'http.request.method': 'Method',
    'url.full': 'URL',
    'url.path': 'Path',
    'url.query': 'Query',
    'http.route': 'Route',
    'http.response.status_code': 'Status',
    'http.request.body.size': 'Request size',
    'http.response.body.size': 'Response size',
    'http.request.resend_count': 'Retries',
    'network.protocol.version': 'HTTP version',
    'user_agent.original': 'User agent',
  },
  database: {
    title: 'Database',
    'db.system.name': 'System',
    'db.namespace': 'Database',
    'db.collection.name': 'Collection',
    'db.operation.name': 'Operation',
    'db.query.summary': 'Summary',
    'db.query.text': 'Query',
    'db.operation.batch.size': 'Batch size',
    'db.response.returned_rows': 'Rows',
    'db.response.status_code': 'Status',
  },
  messaging: {
    title: 'Messaging',
    'messaging.system': 'System',
    'messaging.operation.name': 'Operation',
    'messaging.destination.name': 'Destination',
    'messaging.message.id': 'Message id',
    'messaging.message.conversation_id': 'Conversation id',
    'messaging.consumer.group.name': 'Consumer group',
    'messaging.destination.partition.id': 'Partition',
    'messaging.kafka.offset': 'Offset',
    'messaging.batch.message_count': 'Messages',
    'messaging.message.body.size': 'Size',
    'messaging.client.id': 'Client id',
  },
  server: 'Server',
  client: 'Client',
} as const;

/** Statistics of a session. */
export const STATISTICS_TEXT = {
  none: 'No spans yet. Statistics appear as spans arrive.',
  failed: (why: string) => `Cannot load the statistics: ${why}`,
  stale: 'Not up to date:',
  hidden: (count: number) => `${plural(count, 'duplicate')} hidden`,
  running: (count: number) => `${count} still running`,
  countedTitle: 'Duplicates report the same operation. Running spans count once they end.',
  opensSlowest: 'Opens the slowest',
  openSlowest: 'open the slowest',
  opensFirstError: 'Opens the first error',
  openFirstError: 'Open the first error',
  find: 'Show in the waterfall',
  share: 'Of all self time',
  total: 'Including spans below, without waiting; parallel spans each count',
  p50: 'Median: half took less',
  p95: '95 % took less',
  tokens: 'Not counted again where spans below report them',
  cached: 'cached',
  reasoning: 'reasoning',
  noModel: '(no model)',
  ownCalls: 'Without sub-agents',
  toolUsage: 'Of agents and models that its calls started',
  agentsNote: 'with and without sub-agents',
  slowestNote: 'by self time',
  notRead: (count: number) => `${plural(count, 'more span')} not read`,
  noPriceList: 'price list cannot be loaded: see the log of the service',
  noPrice: (models: string) => `no price known for ${models}`,
  longestPause: 'Longest pause within an answer',
} as const;

/** The MCP log. */
export const MCP_TEXT = {
  allMethods: 'All methods',
  errorsOnly: 'Show only errors',
  byCaller: 'Group by caller',
  byCallerTitle: 'Group messages by caller',
  byTimeTitle: 'Show messages in order of time',
  noAgent: 'outside any agent',
  noContact: 'no messages',
  noVersion: 'protocol version unknown',
  lastMessage: (at: string) => `last message ${at}`,
  serverTime: (took: string) => `server time ${took}`,
  noRequest: 'Request not captured',
  noResponse: 'Response not captured',
  noEnvelope: 'without envelope',
  questionToPerson: 'Question to a person:',
} as const;

export const TRANSCRIPT_TEXT = {
  foldAgent: 'Fold this agent',
  unfoldAgent: 'Unfold this agent',
  rootCause: 'Root cause:',
  oneOfErrors: (count: number) => `1 of ${plural(count, 'error')}`,
  show: 'Show',
  wasCancelled: 'Cancelled. Shown up to the last event.',
  lostContact: 'Lost contact with the process. Shown up to the last event.',
  consequence: (names: string, isCause: boolean) =>
    isCause ? `Caused ${names} to fail.` : `${names} failed afterwards.`,
  retried: 'Called again below',
  retryFailed: 'Called again, and failed again',
  noReason: 'Failed; no reason recorded.',
  aModel: 'A model',
  actions: { accept: 'Accepted', decline: 'Declined', cancel: 'Dismissed' } as Readonly<
    Record<string, string>
  >,
  verdicts: {
    deny: 'denied',
    modify: 'changed',
    allow: 'allowed',
    continue: 'allowed',
    retry: 'retried',
    inject_context: 'added context',
    ask: 'asked a person',
    ask_user: 'asked a person',
    stop: 'stopped',
    fail: 'failed',
    approve: 'approved',
    cancel: 'cancelled',
  } as Readonly<Record<string, string>>,
  waited: (time: string) => `waited ${time}`,
  withEdits: 'with edits',
  onServer: (name: string) => `on ${name}`,
  via: (tool: string) => `via ${tool}`,
  parallel: (count: number) => `1 of ${count} in parallel`,
  task: 'task',
  answer: 'answer',
  context: ' (context)',
  calls: 'calls',
  toolResult: 'tool result',
  causedBy: 'Caused by',
  finishReason: (reason: string) => `finish reason: ${reason}`,
  firstToken: (time: string) => `${time} to first token`,
  rewritten: (gone: number, unchanged: number) =>
    `History rewritten: ${plural(gone, 'earlier message')} removed, ${unchanged} unchanged.`,
  replaced: (gone: number) => `History replaced: ${plural(gone, 'earlier message')} removed.`,
  openSpan: 'Open the span',
  loadFailed: 'Cannot load: retry',
  truncated: 'Truncated by the sender.',
  allSpans: 'All spans',
  allSpansTitle: 'Also wrappers, duplicates and transport',
  allSpansAction: 'All spans, conversation only',
  isThinking: 'is thinking',
  isAnswering: 'is answering',
  isRunning: 'running',
  turnsBelow: (count: number, isMore: boolean) =>
    isMore ? `${count} more in sub-agents` : `${plural(count, 'turn')} in sub-agents`,
  /** Pause within an answer that still comes, and the longest one of an answer. */
  stalls: (took: string) => `stalled for ${took}`,
  stalled: (took: string) => `paused for ${took}`,
  onlyTheEnd: (chars: number) =>
    `The end of ${groupThousands(chars)} characters so far. All of them are shown once the answer is complete.`,
  /** Ends `research lead …`. */
  hasBeenWorkingFor: 'has been working for',
  endings: {
    error: 'failed',
    cancelled: 'was cancelled',
    lost: 'was lost: lost contact with its process',
    ok: 'finished',
    unset: 'finished',
  } as Readonly<Record<string, string>>,
  endedAfter: (how: string, took: string) =>
    how === 'finished' ? `finished in ${took}` : `${how} after ${took}`,
  agentContinued: 'The agent continued.',
  timeOfDay: 'Time of day',
  timeOfDayTitle: 'Show the time of day, not the time since the start',
  timeOfDayAction: 'Time of day, time since the start',
  outline: 'Turns',
  turn: (number: number) => `Turn ${groupThousands(number)}`,
  turnAnswers: 'answer',
  /** A captured state: before `total 10 → 70`, and where nothing is known of a change. */
  state: 'state',
  stateFirst: 'first captured',
  stateSame: 'unchanged',
  stateWhole: 'whole state',
  stateCaptured: 'captured',
  stateMore: (count: number) => `and ${plural(count, 'more change')}`,
} as const;
