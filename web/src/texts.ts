/**
 * The catalogue of the page's texts: what a person reads, in one file, a section an area.
 *
 * A text with a value in it is a function. What a trace says is never here.
 */
import type { SessionStatus, Unsearched } from './api/types.ts';
import { formatBytes, formatDuration, groupThousands, plural } from './model/text/format.ts';

// The shell: bar, banners, dialogs, errors.

export const SHELL_TEXT = {
  keys: 'Keyboard shortcuts',
  singleKeys: 'Single-letter keys',
  skip: 'Skip to content',
  notFound: 'Page not found',
  allSessions: 'All sessions',
  palette: 'All actions',
  firstSteps: 'First steps',
  chart: 'Chart',
  narrowing: 'Narrower filter',
  imports: 'Imports',
  selected: 'Selected sessions',
  closePanel: 'Close panel, then session',
  closeRequest: 'Close the request',
  close: 'Close',
  loading: 'Loading …',
  retry: 'Retry',
  reload: 'Reload the page',
  pageThrew: 'This page crashed.',
  pageThrewAdvice: 'Agents and stored sessions are not affected.',
  missingAdvice: 'The service did not send it. Check that it is running, then retry.',
  replacedAdvice: 'Another version of Inspector is running. Reload the page.',
  throwingAdvice: 'The rest of the page still works.',
  main: 'Main',
  since: 'Since',
  agentsRetry: ': agents are asked to retry.',
  unreachable:
    'The service does not answer. Is `inspector serve` running? This page reconnects by itself.',
  notSignedIn: 'This browser is not signed in. Open the URL that `inspector token` prints.',
} as const;

/** Names of actions, in the palette and in the list of keys. */
export const ACTION_TEXT = {
  search: 'Search all sessions',
  compare: 'Compare sessions',
  usage: 'Usage by user, tag, model or day',
  audit: 'Audit log',
  answer: 'Focus the answer button',
  palette: 'All actions, pages and sessions',
  selection: 'Actions for selection',
  singleKeys: 'Toggle single-letter keys',
  nextWaitingSession: 'Next waiting session',
  nextWaitingSpan: 'Next waiting span',
  freeze: 'Freeze / unfreeze',
  nextRow: 'Next row',
  previousRow: 'Previous row',
} as const;

/** Headline over a store that cannot be written to. */
export const STORE_TEXT = {
  full: 'The store is full: nothing new is stored.',
  read_only: 'The store is read-only: nothing new is stored.',
  unavailable: 'Cannot write to the store: nothing new is stored.',
  incomplete: 'A service is unreachable: its sessions are missing.',
} as const;

/** The connection of the page to the service. */
export const FEED_TEXT = {
  live: 'live',
  connecting: 'connecting',
  refused: 'signed out: run inspector token',
  reconnecting: (seconds: number) => (seconds > 0 ? `reconnecting, ${seconds} s` : 'reconnecting'),
  titles: {
    live: 'Updates arrive live',
    connecting: 'Connecting to the service',
    reconnecting: 'Click to reconnect now. Missed updates appear once the service is back.',
    refused: 'This browser is not signed in. Open the URL that “inspector token” prints.',
  },
} as const;

export const API_TEXT = {
  noAnswer: 'The service does not answer. Is `inspector serve` running?',
  noResponse: 'No answer.',
  stopped: 'Stopped.',
  responded: (status: number) => `The service responded with ${status}.`,
} as const;

/** Settings of this browser. */
export const SETTINGS_TEXT = {
  title: 'Settings',
  theme: 'Theme',
  themes: {
    system: 'system',
    light: 'light',
    dark: 'dark',
    'contrast-light': 'high contrast, light',
    contrast: 'high contrast, dark',
  },
  timeZone: 'Time zone',
  zones: { local: 'local', utc: 'UTC' },
  dates: 'Dates',
  forms: { absolute: 'date and time', relative: 'age' },
  inSession: 'Times in transcript and events',
  sessionTimes: { offset: 'since the start', clock: 'time of day' },
} as const;

/** Title of a button that has a key. */
export function withKey(name: string, key: string): string {
  return `${name} (${key})`;
}

export const PALETTE_TEXT = {
  label: 'Action, page, session or span',
  placeholder: 'Action, page, session, span',
  recent: 'Used before',
  spans: 'Spans of this session',
  selectionPlaceholder: 'Actions for selection',
  none: 'No matches',
  results: 'Results',
  navigate: 'navigate',
  select: 'select',
  close: 'close',
} as const;

export const PAGE_NAMES = {
  sessions: 'Sessions',
  session: 'Session',
  waiting: 'Waiting',
  search: 'Search',
  compare: 'Compare',
  usage: 'Usage',
  causes: 'Causes',
  audit: 'Audit',
  unknown: 'Page',
} as const;

/** Headline where the code of a part could not be loaded. */
export function missingPart(name: string): string {
  return `“${name}” could not be loaded.`;
}

/** Headline where a part failed to render. */
export function throwingPart(name: string): string {
  return `“${name}” failed to render.`;
}

export const SESSION_VERB_TEXT = {
  share: 'Share',
  screenshot: 'Screenshot mode (Esc exits)',
  pauseTitle: 'Pauses before the next operation',
  stepTitle: 'Runs one operation, then pauses again',
  stop: 'Stop…',
  toStop: 'Stop session…',
  stopQuestion: 'Stop this session?',
  stopMore: 'This cancels the agent and cannot be undone.',
  stopConfirm: 'Stop session',
  /** `status`: running, paused or waiting. */
  stopKeep: (status: string) => `Keep ${status}`,
} as const;

/** Names of actions on a session. */
export const SESSION_ACTIONS = {
  nextError: 'Next error',
  firstCause: 'First cause of the failure',
  nextSibling: 'Next sibling',
  previousSibling: 'Previous sibling',
  view: (name: string) => `View: ${name}`,
} as const;

export const VIEW_NAMES = {
  waterfall: 'Waterfall',
  transcript: 'Transcript',
  mcp: 'MCP',
  graph: 'Graph',
  statistics: 'Statistics',
} as const;

export const SHARE_TEXT = {
  copySummary: 'Copy a summary as Markdown',
  copyLink: 'Copy link to this view',
  exportFile: 'Export the session as a file',
  summary: 'Summary',
  link: 'Link',
  copied: (what: string) => `${what} copied`,
  cannotCopy: 'Cannot copy: the browser does not allow it',
} as const;

/** A session in a file of its own. */
export const SAVED_TEXT = {
  save: 'Save as a web page (.html)',
  saving: 'Saving …',
  label: 'Saved trace, read-only',
  exported: 'exported',
  leftOut: (count: number) =>
    `Content of ${plural(count, 'span')} is omitted or truncated: too large.`,
  missing: 'Not in this file. Open the session in Inspector to see it.',
  cut: 'The rest may not be in this file.',
  readOnly: 'Saved traces are read-only.',
  damaged: 'Cannot read the trace: the file is damaged. Export the session again.',
} as const;

/** A summary of a session, as Markdown. */
export const SUMMARY_TEXT = {
  wrong: 'What went wrong',
  outline: 'Outline',
  noReason: 'no reason recorded',
  waiting: (time: string) => `${time} waiting`,
  idle: (time: string) => `${time} idle`,
  tokens: (input: string, output: string) => `${input} tokens in, ${output} out`,
  cause: (name: string, at: string, took: string | undefined) =>
    `${name} at ${at}${took === undefined ? '' : `, after ${took}`}:`,
  otherErrors: (count: number) => `… and ${plural(count, 'other error')}.`,
  otherSpans: (count: number) => `… and ${plural(count, 'other span')}`,
} as const;

export const VERB_LABELS = { pause: 'Pause', resume: 'Resume', step: 'Step' } as const;

export const VERB_SENDING = {
  pause: 'Pausing …',
  resume: 'Resuming …',
  step: 'Stepping …',
  cancel: 'Stopping …',
} as const;

// Parts that several views share.

export const PARTS_TEXT = {
  noName: '(no name)',
  close: 'Close',
  loading: 'Loading',
  back: 'Back',
  next: 'Next',
  stop: 'Stop',
  showAll: 'Show all',
  showLess: 'Show less',
  allSessions: 'All sessions',
  noSpans: 'No spans yet.',
  valueBefore: 'the value before',
  valueAfter: 'the value after',
  before: 'before',
  after: 'after',
  failed: 'failed',
  error: 'error',
  errors: 'errors',
  cancelled: 'cancelled',
  lost: 'lost',
  running: 'running',
  duplicate: 'duplicate',
  duplicateTitle: 'Reports the same operation as another span',
  address: 'the address',
  arguments: 'the arguments',
  result: 'the result',
  theText: 'the text',
  fold: 'Fold all',
  unfold: 'Unfold all',
  findInSession: 'Find in session',
  findInSessionLabel: 'Find in this session',
  filter: 'Filter sessions',
  savedFilter: 'Saved filter',
  forgetFilter: 'Forget this filter',
  saveFilter: 'Save this filter',
  suggestions: 'Suggestions',
  panelWidth: 'Width of the span panel',
  time: 'Time',
  allTimeTitle: 'Clear the time range',
  allTime: ': clear the time range',
  yourName: 'Your name',
  newRows: (count: number) => `${count} new`,
  more: (count: number) => `${groupThousands(count)} more`,
  page: (number: number, count: number) => `part ${number} of ${groupThousands(count)}`,
  found: (count: number) => `${count} found`,
  sessionsOf: (time: string) => `Sessions from ${time}`,
  all: 'All',
  anyTime: 'all time',
  lastTime: (time: string) => `the last ${time}`,
  showTime: (time: string) => `Show sessions of ${time}`,
  filterBy: (query: string) => `Filter by ${query} instead`,
  copy: (what: string) => `Copy ${what}`,
  cannotCopy: (what: string) => `Cannot copy ${what}`,
} as const;

/** Names of the kinds of spans. */
export const KIND_NAMES = {
  agent: 'agent',
  llm: 'LLM call',
  tool: 'tool',
  workflow: 'workflow',
  step: 'step',
  mcp: 'MCP',
  resource: 'resource',
  prompt: 'prompt',
  retrieval: 'retrieval',
  embedding: 'embedding',
  memory: 'memory',
  guardrail: 'guardrail',
  database: 'database',
  messaging: 'messaging',
  http: 'HTTP',
  other: 'span',
} as const;

/** Ends a list that is not shown to its end. */
export function andMore(count: number): string {
  return `and ${groupThousands(count)} more`;
}

/** `what`: a number, a size or a count of something. */
export function showAll(what: string): string {
  return `Show all ${what}`;
}

export function partOf(part: number, all: number | string): string {
  return `${groupThousands(part)} of ${typeof all === 'number' ? groupThousands(all) : all}`;
}

export function tokensInAndOut(input: number, output: number): string {
  return `${groupThousands(input)} in, ${groupThousands(output)} out`;
}

export function systemPrompt(chars: number): string {
  return `System prompt, ${plural(chars, 'character')}`;
}

export function reasoning(length: string): string {
  return `Reasoning, ${length}`;
}

export function by(actor: string): string {
  return `by ${actor}`;
}

/** What a button copies: `the output`. */
export function the(what: string): string {
  return `the ${what.toLowerCase()}`;
}

// Sessions: list, chart, filters, empty states.

export const SESSION_STATUS: Readonly<Record<SessionStatus, string>> = {
  waiting: 'waiting for a person',
  paused: 'paused',
  running: 'running',
  lost: 'lost contact',
  failed: 'failed',
  cancelled: 'cancelled',
  completed: 'completed',
};

/** How a session stands, with the errors in it. */
export function sessionStatus(status: SessionStatus, errors: number): string {
  if (errors === 0) return SESSION_STATUS[status];
  return `${SESSION_STATUS[status]} with ${plural(errors, 'error')}`;
}

/** How far the first read of a session is. */
export function spansRead(count: number, all = count): string {
  return `${groupThousands(count)} of ${plural(Math.max(count, all), 'span')} loaded`;
}

export const SESSION_LIST_TEXT = {
  selectedHead: 'Selected',
  statusHead: 'Status',
  usage: 'Usage of these sessions',
  waiting: 'waiting',
  none: 'No matching sessions.',
  noneYet: 'No matches yet.',
  countingOlder: 'older sessions are not counted',
  reverse: 'Reverse order',
  chart: 'Toggle the chart',
  compare: 'Compare',
  view: 'Columns and sorting',
  widthOf: (name: string) => `Width of ${name}`,
  resize: 'Drag to resize, double-click to reset',
  pin: (name: string) => `Pin ${name}`,
  pinTitle: 'Stays visible when the list scrolls sideways',
  rows: 'Rows',
  density: { compact: 'Compact', normal: 'Normal', comfortable: 'Comfortable' },
  rowsAre: (density: string) => `Rows: ${density.toLowerCase()}`,
  reset: 'Reset to defaults',
  keep: 'Keep',
  oneSpan: 'In one span:',
  oneSpanWhy:
    'Terms may match different spans of a session. This requires one span to match all of them.',
  /** Number of sessions; `hasMore`: at least so many. */
  count: (count: number, hasMore: boolean) =>
    hasMore ? `${groupThousands(count)}+ sessions` : plural(count, 'session'),
  copy: 'Copy',
  waitingForYou: 'Waiting for you in this session',
  now: 'now',
  sessionsOverTime: 'Sessions over time',
  all: 'all',
  chartKeys:
    'Arrow keys move between bars; with Shift they select a range. Enter shows the sessions, Escape goes back.',
  sessions: 'Sessions',
  clearFilter: 'Clear the filter',
  session: 'Session',
  usageLabel: 'Usage',
  viewLabel: 'View',
  sortBy: 'Sort by',
  descending: 'Descending',
  ascending: 'Ascending',
  columns: 'Columns',
  answerCount: (count: number) => (count > 1 ? `Answer ${count}` : 'Answer'),
  barIs: (time: string) => ` · ${time} per bar`,
  sortByName: (name: string) => `Sort by ${name.toLowerCase()}`,
  select: (title: string) => `Select ${title}`,
} as const;

/** Names of the columns of the list, and of what it is sorted by. */
export const COLUMN_TEXT = {
  agents: 'Agents',
  models: 'Models',
  services: 'Services',
  tags: 'Tags',
  users: 'User',
  engine: 'Engine',
  title: 'Title',
  changed: 'Last activity',
  started: 'Started',
  duration: 'Duration',
  waiting: 'Waited',
  spans: 'Spans',
  errors: 'Errors',
  llm_calls: 'LLM calls',
  tool_calls: 'Tool calls',
  tokensIn: 'Tokens in',
  inputTokens: 'Input tokens',
  tokensOut: 'Tokens out',
  outputTokens: 'Output tokens',
  tokens: 'Tokens',
  cost: 'Cost',
} as const;

/** Names of actions on the list. */
export const SESSION_LIST_ACTIONS = {
  nextFailed: 'Next session with an error',
  select: 'Select / deselect this session',
  selectAll: 'Select all sessions shown',
  clearSelection: 'Clear the selection',
  sortBy: (column: string) => `Sort sessions by ${column.toLowerCase()}`,
} as const;

export const EMPTY_TEXT = {
  ofReader: (services: string) => `This page reads the services ${services}. Agents send to these.`,
  sessions: 'No sessions yet',
  sessionsLead: 'Run an agent and watch it here while it works. Pick one of the ways below.',
  run: 'Watch a Python agent without changing it',
  proxy: 'Watch an MCP server: use this as its command in your MCP client’s config',
  demo: 'Watch a demo agent',
  saved: 'Have a saved session? Drop the file here or browse.',
  ownCode: 'Or send sessions from your own code',
  mcp: 'No MCP traffic in this session',
  mcpLead: 'No messages between an MCP client and server. Ways to capture them:',
  mcpProxy: 'Any MCP server over stdio: use this as its command in your MCP client’s config',
  mcpRun: 'A Python agent that uses the MCP SDK or FastMCP',
  mcpHooks: 'Your own client: report each request on the hook bus',
  mcpOtel: 'The MCP SDK’s own spans: methods, ids and times',
  mcpOther: 'Any other instrumentation',
  mcpSpans:
    'Spans with `mcp.method.name` (OpenTelemetry, FastMCP, OpenLLMetry, Logfire), or log records of the wire: `inspector.mcp.frame`, see `docs/formats.md`.',
  snippet: (name: string) => `the ${name} snippet`,
} as const;

export const IMPORT_TEXT = {
  action: 'Import files',
  tooMany: (most: number) => `Only ${most} files at a time.`,
  tooLarge: (size: string, limit: string) =>
    `${size} is too large for the page (limit ${limit}). “inspector import FILE” has no limit.`,
  logRecords: (count: number) => plural(count, 'log record'),
  queued: 'queued',
  reading: (name: string) => `Importing ${name}`,
  known: (count: number) => `${groupThousands(count)} already imported`,
  notStored: (count: number) => `${groupThousands(count)} not supported`,
  nothing: 'Nothing imported.',
  notSent: 'Stopped before the upload.',
  stopped: 'Stopped. What was imported is kept; import the file again to add the rest.',
  folder: 'This is a folder. Drop its files instead.',
  empty: 'The file is empty.',
  open: 'Open the session',
  more: (count: number) => `and ${groupThousands(count)} more`,
  dropToImport: 'Drop to import',
  formats: 'Exported sessions, OTLP JSON, Jaeger or Langfuse traces; gzip or plain',
  filesToImport: 'Files to import',
  importTitle: 'Import files: drop them on the page or browse',
  importFiles: 'Import',
  importedFiles: 'Imported files',
  importing: 'Importing',
  imported: 'Imported',
  sending: (name: string) => `Sending ${name}`,
  errors: (count: number) => `${plural(count, 'error')} in the file`,
  line: (number: number) => `line ${groupThousands(number)}:`,
} as const;

/** Question before sessions are deleted; `what` says how many: `3 sessions`. */
export function deleteQuestion(what: string): string {
  return `Delete ${what} permanently?`;
}

// Causes and search.

export const CAUSE_TEXT = {
  cause: 'Cause',
  answer: 'Answer',
  page: 'Causes',
  heading: 'Causes of errors',
  open: 'Group by cause',
  counting: 'counting',
  showSessions: 'Show the sessions',
  example: 'Newest example',
  compare: 'Compare with a good run',
  noGoodRun: 'No good run with this title',
  none: 'Nothing failed.',
  noneFound: 'No failures match this filter.',
  clear: 'Clear the filter',
} as const;

/** How many sessions of a cause failed; the others recovered, or were cancelled or lost. */
export function causeSessions(sessions: number, failed: number): string {
  const others =
    failed === sessions
      ? ''
      : failed === 0
        ? ', none failed'
        : `, ${groupThousands(failed)} failed`;
  return `${plural(sessions, 'session')}${others}`;
}

export function causesShown(shown: number, groups: number, sessions: number): string {
  const causes =
    shown < groups ? `${shown} of ${plural(groups, 'cause')}` : plural(groups, 'cause');
  return `${causes} in ${plural(sessions, 'session')}`;
}

export function causeSeen(first: string, last: string): string {
  return first === last ? `seen ${first}` : `first seen ${first}, last ${last}`;
}

export function causesCountedFrom(start: string): string {
  return `Only sessions since ${start} are counted.`;
}

export function causeStarts(count: number, start: string): string {
  return `${plural(count, 'session')} from ${start}`;
}

/** `peak`: the most of them in one bar. */
export function causePeak(peak: string): string {
  return `Over time: at most ${peak}`;
}

export const SEARCH_TEXT = {
  focus: 'Focus search',
  searching: 'Searching …',
  more: 'Continue searching',
  none: 'No matches. Words match exactly; use confl* for prefixes.',
  noneYet: 'No matches yet.',
  examples: 'Example searches',
  recent: 'Recent searches',
  error: 'error',
  clear: 'clear',
  found: 'found',
  behind: (count: number) => `, ${plural(count, 'change')} still being indexed`,
  /** What is in the history, while it cannot be read, or in a service that does not answer. */
  unsearched: ({ part, writer, why }: Unsearched, isKnown: boolean) => {
    if (part === 'history') {
      const whose = writer === null ? 'this service’s disk' : `the disk of “${writer}”`;
      return `Sessions that left ${whose} are not searched: ${why}`;
    }
    const missing = `Without the service “${writer}”`;
    return isKnown ? `${missing}.` : `${missing}: ${why}`;
  },
  again: 'Search again',
} as const;

export const SUGGESTION_TEXT = {
  ofA: (scope: string) => `of a ${scope}`,
} as const;

/** Handle of a sheet at the bottom of a narrow page. */
export const SHEET_TEXT = {
  open: 'Open the panel',
  enlarge: 'Enlarge the panel',
  shrink: 'Shrink the panel',
} as const;

// A session: header, waterfall, time.

export const SESSION_TEXT = {
  duration: 'duration',
  freeze: 'Freeze',
  unfreeze: 'Unfreeze',
  idleTitle: 'Nothing ran: excluded from the duration, shown in the waterfall',
  droppedTitle: 'Attributes, events and links dropped by the sender',
  figures: 'Session totals',
  now: 'Now',
  andMore: (count: number) => `and ${count} more`,
  waiting: 'waiting',
  /** Pause within an answer that still comes, and the longest one of an answer. */
  stalled: 'stalled',
  stalls: (took: string) => `stalled ${took}`,
  stalledWithin: (took: string) => `stalled ${took} within the answer`,
  about: 'About this session',
  writer: 'service',
  id: 'Id',
  sessionId: 'session id',
  idle: 'idle',
  span: 'span',
  spans: 'spans',
  toolCall: 'tool call',
  toolCalls: 'tool calls',
  tokens: 'tokens',
  cost: 'cost',
  dropped: 'dropped by the sender',
  deleted: 'This session was deleted.',
  nextErrorTitle: 'Next error (E)',
  controls: 'Session controls',
  views: 'Views of the session',
  waitingCount: (count: number) => `${count} waiting`,
  frozen: (seconds: number, behind: number) =>
    `frozen, ${seconds} s and ${plural(behind, 'change')} behind`,
} as const;

/** The waterfall, its minimap and the card of a span. */
export const WATERFALL_TEXT = {
  spans: 'Spans',
  ok: 'ok',
  unknown: 'unknown',
  wholeSession: 'The whole session',
  minimapTitle: 'Drag to zoom, click to jump',
  errorBelow: ', error below',
  errorBelowTitle: 'A span below failed',
  nothing: 'No matches',
  criticalPathTitle: 'Highlight the spans that determine the duration (L)',
  criticalPath: 'Critical path',
  /** What a gap is: nothing runs in it, or nothing but spans whose children have ended. */
  gaps: { idle: 'idle', waiting: 'waiting', childless: 'no child span' },
  expandGaps: 'Expand gaps (Z)',
  collapseGaps: 'Collapse gaps (Z)',
  errorsOnlyTitle: 'Only failed spans and their parents (X)',
  errorsOnly: 'Errors only',
  zoomTitle: 'Zoom to the rows in view (V)',
  zoom: 'Zoom to the rows in view',
  showEverythingTitle: 'Show everything (0)',
  showEverything: 'Show everything',
  span: 'Span',
  namesWidth: 'Width of the name column',
  spanTree: 'Span tree',
  soFar: (took: string) => `${took} so far`,
  visible: 'Visible time',
  visibleFrom: 'Start of visible time',
  visibleTo: 'End of visible time',
  visibleTime: (length: string, from: string) => `${length} from ${from}`,
} as const;

/** Names of actions on the waterfall. */
export const WATERFALL_ACTIONS = {
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  errorsOnly: 'Toggle errors only',
  gaps: 'Collapse / expand gaps',
  criticalPath: 'Toggle critical path',
} as const;

// The timeline of a session.
export const TIME_TEXT = {
  where: 'Timeline',
  label: 'Point in time',
  title: 'Drag to go back in time (H)',
  focus: 'Focus the timeline',
  playOrPause: 'Play / pause from here',
  play: 'Play',
  pause: 'Pause',
  space: 'Space',
  speed: 'Speed',
  leave: 'Back to the end of the session',
  live: 'Live',
  end: 'The end',
  toLive: 'Back to live (Esc)',
  toEnd: 'Back to the end (Esc)',
  at: (at: string, whole: string) => `${at} of ${whole}`,
  note: 'Shown as of then. Values without a timestamp are current.',
  notBegun: 'This span has not started at this point',
  runs: 'Shown as of then: still running, later data hidden.',
  attributesAsEnded:
    'Attributes have no timestamps: these are the latest, without those set at the end.',
  noAgent: 'No agent has started at this point.',
  noSpan: 'No span has started at this point.',
  asItEnded: 'as it is now',
} as const;

/** How long ago, and for how long nothing came. */
export const AGE_TEXT = {
  now: 'just now',
  minutes: (count: number) => `${count} min ago`,
  hours: (count: number) => `${count} h ago`,
  days: (count: number) => `${count} d ago`,
  silence: (time: string) => `no news for ${time}`,
} as const;

// A span: the panel beside a session.
export const SPAN_TEXT = {
  task: 'Task',
  answer: 'Answer',
  input: 'Input',
  output: 'Output',
  response: 'Response',
  request: (method: string) => `Request ${method}`,
  earlier: (count: number) => plural(count, 'earlier message'),
  notAnswered: 'No answer yet',
  notCaptured: 'Content not captured',
  noDocuments: 'No documents found.',
  refusal: 'refused by the model',
  toolFailed: 'The tool reported an error',
  schema: 'Schema',
  wholeSchema: 'JSON Schema',
  required: 'required',
  causedBy: 'Caused by',
  propagatedTo: 'Propagated to',
  numbers: 'Numbers',
  selfTime: 'self time',
  selfTimeTitle: 'Excludes spans below and waiting',
  waiting: 'waiting',
  waits: (count: number) => (count === 1 ? 'Waited once for a person' : `Waited ${count} times`),
  firstToken: 'to first token',
  longestPause: 'longest pause',
  turn: 'turn',
  turns: 'turns',
  turnsBelow: (count: number) => `${count} more in sub-agents`,
  toolCalls: (count: number) => (count === 1 ? 'tool call' : 'tool calls'),
  subAgents: (count: number) => (count === 1 ? 'sub-agent' : 'sub-agents'),
  errors: (count: number) => (count === 1 ? 'error below' : 'errors below'),
  withSubAgents: 'Includes sub-agents',
  tokensIn: 'tokens in',
  tokensOut: 'tokens out',
  cached: 'cached',
  cacheWritten: 'written to cache',
  reasoning: 'reasoning',
  cost: 'cost',
  costByPrices: 'From the price list',
  aggregate: 'Sum of the spans below',
  tokensUnknown: 'No cost: the token counts are incomplete.',
  noPrice: (model: string | null) =>
    model === null ? 'No cost: the model is unknown.' : `No cost: no price for ${model}.`,
  suspect:
    'More cached than input tokens: the sender seems to exclude cached tokens from its input.',
  model: 'Model',
  application: 'From the application',
  source: 'Source',
  raw: 'Raw',
  formatted: 'Formatted',
  rawTitle: 'Values exactly as sent (R)',
  rawOrFormatted: 'Toggle raw values',
  notJson: 'Not valid JSON: shown raw.',
  sameOperation: 'Same operation, reported by',
  earlierCall: 'an earlier LLM call',
  llmCalls: (count: number) => (count === 1 ? 'LLM call' : 'LLM calls'),
  selfTimeLabel: 'Self time',
  waitingLabel: 'Waiting',
  waitingTitle: 'For a person, or paused: excluded from the duration',
  tokens: 'Tokens',
  service: (name: string) => `Service: ${name}`,
  missing: 'Missing',
  dropped: (what: string) => `The sender dropped ${what}.`,
  cutShort: (names: string) => `Truncated by the sender: ${names}.`,
  filterAttributes: 'Filter attributes',
  span: 'Span',
  resource: 'Resource',
  isTruncated: 'truncated by the sender',
  attributeName: 'the name',
  name: 'name',
  system: 'system',
  message: 'this message',
  emptyMessage: 'Empty message.',
  result: 'result',
  copyTheSpan: 'Copy the span',
  asJson: 'the span as JSON',
  asCurl: 'a curl command that reads the span',
  asPython: 'Python that reads the span',
  whatChanged: 'what changed',
  logRecord: 'log record',
  body: 'the body',
  linksTo: 'Links to',
  traceAndSpan: 'trace and span id',
  inAnotherSession: 'in another session',
  spanTabs: 'Span tabs',
  wholeSpan: 'the span',
  notFound: 'Span not found in this session',
  notInStore: 'not in this store',
  endUnknown: 'end unknown',
  theQuery: 'the query',
  isNew: 'new',
  isChanged: 'changed',
  calledTimes: (count: number) =>
    count === 1 ? 'called' : `called ${groupThousands(count)} times`,
  sentAs: (what: string, raw: string) => `${what} (sent as ${raw})`,
  noObjection: (count: number) =>
    `${count} ${count === 1 ? 'interceptor' : 'interceptors'} had no objection`,
  traceIdAndSpanId: 'trace id and span id',
  closeTitle: 'Close (Esc)',
  closeSpan: 'Close the span',
  ok: 'ok',
  description: 'the description',
  retrievedDocuments: 'Retrieved documents',
  noId: 'no id',
  startsAt: (offset: string) => `starts at ${offset}`,
  ids: (trace: string, span: string) => `Trace ${trace}, span ${span}`,
  parallelCalls: (count: number) => `${count} parallel calls`,
  moreLinks: (count: number) => `${plural(count, 'more link')} in the raw span.`,
  clamped: (count: number) => `${plural(count, 'long value')} truncated: see \`clamped\`.`,
  copyForAll: 'Copy as JSON for the full text.',
  schemaOf: (tool: string) => `the schema of ${tool}`,
  toolsOffered: (count: number) => `Tools offered, ${groupThousands(count)}`,
  unchangedSince: 'Unchanged since',
  comparedWith: 'Compared with',
  noLongerOffered: 'no longer offered:',
} as const;

/** Names of the tabs of a span. */
export const SPAN_TABS = {
  overview: 'Overview',
  messages: 'Messages',
  decisions: 'Decisions',
  state: 'State',
  events: 'Events',
  links: 'Links',
  attributes: 'Attributes',
  raw: 'Raw',
} as const;

/** Names of actions on a span. */
export const SPAN_ACTIONS = {
  tab: (name: string) => `Span: ${name}`,
  nextTab: 'Next span tab',
  previousTab: 'Previous span tab',
  copyTab: 'Copy the content of this span tab',
  copyJson: 'Copy the span as JSON',
  copyCurl: 'Copy the span as curl',
  copyPython: 'Copy the span as Python',
} as const;

/** A view that is narrowed to an agent, a tool or a model. */
export const ACTOR_TEXT = {
  kinds: { agent: 'agent', model: 'model', tool: 'tool' },
  only: (kind: string) => `Only ${kind}`,
  all: 'Show all',
  server: (name: string) => `MCP server ${name}`,
  elsewhere: 'Transcript and waterfall show only this',
  open: { transcript: 'Transcript', waterfall: 'Waterfall' },
} as const;

/** Names of facts about a span. */
export const FACT_TEXT = {
  model: 'Model',
  answeredBy: 'Answered by',
  provider: 'Provider',
  finishReason: 'Finish reason',
  user: 'User',
  tags: 'Tags',
  method: 'Method',
  requestId: 'Request id',
  server: 'Server',
  transport: 'Transport',
  protocol: 'Protocol',
  resource: 'Resource',
  type: 'Type',
  size: 'Size',
  prompt: 'Prompt',
  started: 'Started',
  starts: 'Starts at',
  ended: 'Ended',
  duration: 'Duration',
  service: 'Service',
  instance: 'Instance',
  instrumentation: 'Instrumentation',
  sdk: 'SDK',
  otlpKind: 'OTLP kind',
  traceState: 'Trace state',
} as const;

/** Values of any size. */
export const VALUE_TEXT = {
  tree: 'Tree',
  text: 'Text',
  firstShown: (size: string) => `First ${size} shown.`,
  loadAll: (size: string) => `Load all ${size}`,
  loadSound: 'Load to play',
  showImage: 'Show',
  file: 'file',
  error: 'Error',
  theError: 'the error',
  stackTrace: 'the stack trace',
  hideLibraryFrames: 'Hide library frames',
  showAllFrames: 'Show all frames',
  value: 'the value',
  thePath: 'the path',
  orMore: (count: number) => `${groupThousands(count)} or more`,
  found: (count: string) => `${count} found`,
  bytesOf: (done: number, all: number) => `${formatBytes(done)} of ${formatBytes(all)}`,
  libraryFrames: (count: number) => plural(count, 'library frame'),
  image: (alt: string) => `image ${alt}`,
  path: 'path',
  less: 'less',
  asJson: 'as JSON',
  search: 'Search this value',
  searching: 'Searching',
  stopped: 'stopped',
  previous: 'Previous',
  reading: 'Reading',
  tooMany: 'Too many values for a tree.',
  markdown: 'Markdown',
  done: 'done',
  toDo: 'to do',
  code: 'code',
  theCode: 'the code',
  stackLines: (count: number) => `Stack trace, ${plural(count, 'line')}`,
  startOf: (what: string) => `the start of ${what}`,
  truncated: (sent: number, whole: number | undefined) =>
    whole === undefined
      ? `Truncated by the sender: ${formatBytes(sent)} received.`
      : `Truncated by the sender: ${formatBytes(sent)} of ${formatBytes(whole)} received, ${formatBytes(Math.max(whole - sent, 0))} missing.`,
} as const;

/** What is wrong with a text that should be JSON. */
export const JSON_MISTAKES = {
  end: 'unexpected text after the value',
  value: 'a value is missing',
  key: 'a key in double quotes is missing',
  colon: 'a colon after the key is missing',
  escape: 'an invalid escape',
  unterminated: 'an unterminated string',
  lineBreak: 'a line break in a string (write \\n)',
  control: 'a control character inside a string',
  comma: (end: string) => `a comma or ${end} is missing`,
  endsHere: (what: string) => `${what}: the text ends here`,
} as const;

/** Characters that nobody sees, by code point, else by kind. */
export const CHARACTER_NAMES = {
  named: {
    0: 'null',
    9: 'tab',
    13: 'carriage return',
    27: 'escape',
    160: 'no-break space',
    173: 'soft hyphen',
    1564: 'Arabic letter mark',
    8203: 'zero-width space',
    8204: 'zero-width non-joiner',
    8205: 'zero-width joiner',
    8206: 'left-to-right mark',
    8207: 'right-to-left mark',
    8232: 'line separator',
    8233: 'paragraph separator',
    8234: 'left-to-right embedding',
    8235: 'right-to-left embedding',
    8236: 'pop directional formatting',
    8237: 'left-to-right override',
    8238: 'right-to-left override',
    8288: 'word joiner',
    8294: 'left-to-right isolate',
    8295: 'right-to-left isolate',
    8296: 'first-strong isolate',
    8297: 'pop directional isolate',
    12288: 'wide space',
    10240: 'blank pattern',
    65279: 'zero-width no-break space',
  } as Readonly<Record<number, string>>,
  control: 'control character',
  surrogate: 'lone surrogate',
  tag: 'invisible tag',
  space: 'unusual space',
  mark: 'mark',
  other: 'invisible character',
} as const;

// Requests: cards, inbox, forms.

export const REQUEST_TEXT = {
  argumentsAsJson: 'Arguments as JSON',
  undoChange: 'Undo',
  foldLine: 'Fold',
  unfoldLine: 'Unfold',
  approval: 'Approval',
  breakpoint: 'Stopped at a breakpoint',
  elicitation: 'MCP server question',
  question: 'Question',
  continue: 'Continue',
  argumentsErased: 'Arguments are not kept after a request closes.',
  notEditable: 'Can be allowed or denied, not edited: not JSON, or too long.',
  notAcknowledged: 'sent, not yet acknowledged by the agent',
  received: 'received by the agent',
  statuses: {
    pending: 'waiting',
    answered: 'answered',
    withdrawn: 'withdrawn by the agent',
    lost: 'lost contact with the agent',
  },
  decisions: {
    allow: 'allowed',
    allow_always: 'always allowed',
    deny: 'denied',
    answer: 'answered',
    decline: 'declined',
    cancel: 'dismissed',
  },
  edit: 'Your edit',
  editElsewhere: 'Edited before it ran. The edit itself is not stored.',
  editSpan: 'Show the span that ran',
  timeIsUp: 'time is up',
  allowingTitle: 'Unless you answer',
  details: 'Details',
  facts: {
    tool: 'Tool',
    signal: 'Signal',
    source: 'Asked by',
    hook: 'Hook',
    hash: 'SHA-256 of the arguments',
    id: 'Request',
  },
  reason: 'Reason (sent to the agent)',
  back: 'Back',
  sending: 'Sending …',
  cannotSend: 'Cannot send the edited arguments: see above',
  allowWithEdits: 'Allow with edits',
  denyMore: 'Deny…',
  stepTitle: 'Runs this, then pauses at the next operation',
  step: 'Step',
  changes: 'Changes',
  findLabel: 'Find in the arguments',
  findPlaceholder: 'find in all parts',
  find: 'Find',
  notFound: 'not found',
  argumentsTitle: 'Arguments',
  editArguments: 'Edit',
  stopEditing: 'Stop editing',
  undoAll: 'Undo all edits',
  prompt: 'the prompt',
  yourEdit: 'your edit',
  copyEdit: 'Copy your edited arguments',
  noEdits: 'No edits: the arguments are sent unchanged.',
  onlySpace: 'Only white space changed: the arguments are sent unchanged.',
  checking: 'Checking the edits …',
  isJson: (chars: number) => `JSON, ${groupThousands(chars)} characters.`,
  showFirst: (what: string) => `Show all of ${what} first`,
  waitingInSpan: 'Waiting for you in this span',
  unseen: (what: string) =>
    `Only the start of ${what} is shown. Show all of it above before you allow it.`,
  moreLines: (count: number) => `and ${plural(count, 'more changed line')}`,
  omitted: (count: number) => `… ${plural(count, 'character')} …`,
  signs: 'Signs for invisible characters:',
  newSigns: 'New invisible characters:',
  place: (line: number, column: number) => `line ${line}, column ${column}`,
  inPlace: (line: number, column: number) => `in line ${line}, column ${column}`,
  ambiguous: 'Ambiguous,',
  notJson: 'Not JSON,',
  duplicateKey: 'duplicate key',
  elsewhere: 'Waiting for a person elsewhere: nothing to answer here.',
} as const;

export const FORM_TEXT = {
  answer: 'Answer',
  answerAsJson: 'Answer as JSON',
  required: 'required',
  requiredNote: '* required',
  choose: 'choose',
  yes: 'yes',
  no: 'no',
  unchecked: 'Also required (checked by the agent):',
  send: 'Send answer',
  accept: 'Accept',
  decline: 'Decline',
  dismiss: 'Dismiss',
  mistake: 'Go to the missing or invalid field',
} as const;

/** What is wrong with a value of a form. */
export const MISTAKE_TEXT = {
  required: 'Required.',
  integer: 'Enter a whole number.',
  number: 'Enter a number, such as 1.5.',
  email: 'Enter an email address.',
  uri: 'Enter a URL with its scheme, such as https://example.com.',
  date: 'Enter a date, such as 2026-01-31.',
  dateTime: 'Enter a date and time with its zone, such as 2026-01-31T12:00:00Z.',
  notJson: (what: string) => `Not JSON: ${what}.`,
  chooseAtLeast: (least: string) => `Choose at least ${least}.`,
  chooseAtMost: (most: string) => `Choose at most ${most}.`,
  atLeast: (least: string) => `At least ${least}.`,
  atMost: (most: string) => `At most ${most}.`,
  longerThan: (least: string) => `At least ${least} characters.`,
  shorterThan: (most: string) => `At most ${most} characters.`,
} as const;

export const INBOX_TEXT = {
  page: 'Waiting',
  title: 'Waiting for you',
  list: 'Requests',
  openRequest: 'Open request',
  firstRequest: 'Focus the list',
  loading: 'loading',
  oneSession: 'one session shown',
  allSessions: 'show all',
  empty: 'Nothing needs you',
  cut: 'Cannot reach the service: requests may be waiting.',
  emptyHint:
    'Approve tool calls and answer agents’ questions here, in the list of sessions, or in the session.',
  noticesOn: 'Desktop notifications: on',
  noticesOff: 'Desktop notifications: off',
  noticesTitle: 'Shows the session and the tool, never the arguments',
  noticesRefused: 'The browser blocks notifications from this page.',
  before: 'Before this',
  transcript: 'Open transcript',
  states: { failed: 'failed', waiting: 'waiting', running: 'running' },
  denyAll: 'Deny all in this session…',
  several: (count: number) => `${count} requests are waiting for you`,
} as const;

export const STRIP_TEXT = {
  label: 'Waiting for you in this session',
  answer: 'Answer',
} as const;

export function stripCount(waiting: number, allowing: number): string {
  const count = `${waiting} requests waiting`;
  return allowing === 0 ? count : `${count}, ${allowing} allowed by default`;
}

export function stripMore(count: number): string {
  return `${count} more`;
}

export function hideClosed(count: number): string {
  return `Hide ${count} closed`;
}

export function denyCount(count: number): string {
  return count === 1 ? 'Deny 1 request' : `Deny ${count} requests`;
}

export function deniedCount(denied: number, of: number): string {
  return denied === of ? `${denied} denied.` : `${denied} of ${of} denied.`;
}

export function wantsToRun(tool: string): string {
  return `${tool} wants to run`;
}

export function wantedToRun(tool: string): string {
  return `${tool} wanted to run`;
}

export function stoppedBefore(tool: string): string {
  return `Stopped before ${tool}`;
}

export function waitingForSignal(name: string): string {
  return `Waiting for signal "${name}"`;
}

export function questionFrom(tool: string): string {
  return `Question from ${tool}`;
}

export function allowOnce(tool: string | undefined): string {
  return tool === undefined ? 'Allow once' : `Allow ${tool} once`;
}

export function allowWithEdits(count: number): string {
  return `Allow with ${count} ${count === 1 ? 'edit' : 'edits'}`;
}

export function alwaysAllow(interceptor: string | undefined): string {
  return interceptor === undefined
    ? 'Always allow in this session'
    : `Always allow for "${interceptor}" in this session`;
}

export function denyTool(tool: string | undefined): string {
  return tool === undefined ? 'Deny' : `Deny ${tool}`;
}

export function decidedBy(decision: string, isEdited: boolean, actor: string): string {
  return `${decision}${isEdited ? ' with edits' : ''} by ${actor}`;
}

export function rejectedByAgent(reason: string): string {
  return reason === '' ? 'rejected by the agent' : `rejected by the agent: ${reason}`;
}

export function waitingFor(time: string): string {
  return `waiting ${time}`;
}

/** Before the title of the tab. */
export function waitingMark(waiting: number, allowing: number): string {
  if (waiting === 0) return '';
  return allowing === 0 ? `(${waiting}) ` : `⚠ (${waiting}) `;
}

export function timeLeft(left: string, outcome: string): string {
  return `${left} left, then ${outcome}`;
}

/** Of a request that is granted when its time passes. */
export function allowedIn(left: string, outcome: string): string {
  return `${outcome} in ${left}`;
}

// The audit log.

export const AUDIT_TEXT = {
  title: 'Audit log',
  yourName: 'e.g. Ada',
  export: 'Export as JSON lines',
  search: 'Search the audit log',
  searchPlaceholder: 'who, tool, session, reason',
  all: 'Show agents and service',
  allTitle: 'Also what agents and the service do on their own',
  via: 'Via',
  anyVia: 'Via: any',
  outcome: 'Outcome',
  anyOutcome: 'Outcome: any',
  columns: ['When', 'Who', 'Via', 'Action', 'Tool or question', 'Session', 'Outcome'],
  none: 'No actions yet.',
  noMatch: 'No matches.',
  reset: 'Reset filters',
  more: 'Show older',
  loading: 'Loading …',
  origins: {
    browser: 'browser',
    cli: 'command line',
    api: 'API',
    mcp: 'MCP',
    agent: 'agent',
    service: 'service',
  },
  results: {
    accepted: 'accepted',
    applied: 'done',
    not_applied: 'not done',
    refused: 'refused',
  },
  decisions: {
    allow: 'Allow',
    allow_always: 'Always allow',
    deny: 'Deny',
    answer: 'Answer',
    decline: 'Decline',
    cancel: 'Dismiss',
  },
  withEdits: (decision: string) => `${decision} with edits`,
  /** Of actions that are not named by their decision. */
  actions: {
    request_opened: 'Ask',
    request_closed: 'Close request',
    request_withdrawn: 'Withdraw request',
    request_lost: 'Lose contact',
  },
} as const;

export function timedOut(outcome: string | undefined, after?: string): string {
  const what = after === undefined ? 'Timed out' : `Timed out after ${after}`;
  return outcome === undefined ? what : `${what}: ${outcome} by default`;
}

// Comparison: the ways to it, and what it says.

export const COMPARE_LINK_TEXT = {
  compareWith: 'Compare with…',
  withGood: 'Compare with a good run',
  withLastGood: 'Compare with the last good run',
} as const;

/** Name of the action on sessions that are selected in the list. */
export function compareSelected(count: number): string {
  return `Compare the ${count} selected sessions`;
}

/** Kinds of differences between two steps. */
export const CHANGE_NAMES = {
  failed: 'failed',
  recovered: 'recovered',
  added: 'added',
  removed: 'removed',
  other_model: 'model changed',
  asked_differently: 'different input',
  answered_differently: 'different output',
  slower: 'slower (self time)',
  faster: 'faster (self time)',
  dearer: 'more expensive',
  cheaper: 'less expensive',
} as const;

/** What is compared of two sessions or steps. */
export const QUANTITY_NAMES = {
  status: 'status',
  model: 'model',
  time: 'time',
  waiting: 'waiting',
  spans: 'spans',
  errors: 'errors',
  llm_calls: 'LLM calls',
  tool_calls: 'tool calls',
  tokens_in: 'tokens in',
  tokens_out: 'tokens out',
  cost: 'cost',
} as const;

export const COMPARE_PARTS_TEXT = {
  withBelow: (count: number) => `with ${plural(count, 'span')} below`,
  inTotal: (took: string) => `, in total ${took}`,
} as const;

/** Keys of widgets. */
export const WIDGET_TEXT = {
  where: 'Lists, trees and fields',
  row: 'previous or next row, request or entry',
  tree: 'in a tree: collapse or go to the parent, expand or go in',
  tabs: 'in tabs: previous or next tab; on a divider: move it',
  ends: 'first or last row; page up or down',
  time: 'on the timeline: start or end; previous or next event',
  play: 'on the timeline: play or pause',
  open: 'open',
  suggestion: 'in a query: accept the first suggestion',
  leave: 'clear the field, then leave it',
} as const;

/** The footer of the list of keys; `key` opens the palette. */
export function paletteHint(key: string): string {
  return `The palette (${key}) lists every action, including those without a key.`;
}

export const BULK_TEXT = {
  selectAll: (count: number | undefined) =>
    count === undefined ? 'Select all' : `Select all ${groupThousands(count)}`,
  onlyFirst: (count: number) => `Only the first ${groupThousands(count)} are selected.`,
  exportStopped: 'Stopped. No file written.',
  nothingExported: 'No file written.',
  exported: (count: number, name: string, size: string) =>
    `${plural(count, 'session')} in ${name}, ${size}. To import it again, drop it here or use “inspector import”.`,
  leftOpen: (status: string) => `Skipped: ${status}.`,
  deleted: (count: number, isStopped: boolean) =>
    `${isStopped ? 'Stopped: ' : ''}${plural(count, 'session')} deleted.`,
  withOpen: (count: number, waiting: number) =>
    `Also delete ${plural(count, 'session')} still running or waiting${
      waiting > 0 ? ` (${waiting} for a person)` : ''
    }. Their agents continue: new spans start a new session, and open requests fall back to their default.`,
  notLoaded: (count: number, withOpen: boolean) =>
    `${plural(count, 'session')} not loaded yet${
      withOpen ? '.' : '; running and waiting ones are skipped.'
    }`,
  selectedSessions: 'Selected sessions',
  exportSelected: 'Export the selected sessions',
  deleteSelected: 'Delete the selected sessions (asks first)',
  confirm: (what: string) => `Delete ${what}`,
  export: 'Export',
  delete: 'Delete …',
  selectNone: 'Select none',
  selected: (count: number, isLooking: boolean) =>
    `${groupThousands(count)} selected${isLooking ? ' so far' : ''}`,
  exporting: 'Exporting',
  deleting: 'Deleting',
  doing: (what: string) => `${what} sessions`,
  doneOf: (what: string, count: number, total: number) =>
    `${what} ${groupThousands(count)} of ${plural(total, 'session')}`,
  skipped: (count: number) => `${groupThousands(count)} failed or skipped`,
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
    history: 'Messages of users and models, and tool calls',
    retrieved: 'Results of retrieval, wherever they appear',
    tool_results: 'Results of tools',
    other: 'Everything else',
  },
  tokens: (count: string) => `≈ ${count} tokens`,
  characters: (count: string) => `${count} characters`,
  estimated: 'Estimated from characters, scaled to the reported input tokens',
  cached: (share: string) => `${share} cached`,
  cachedTitle: 'Caches store the start of a context',
  cachedUpTo: 'cached up to here',
  sent: (count: string) => `${count} tokens`,
  repeated: (amount: string) => `${amount} repeated`,
  repeatedTitle: 'The same text appears earlier in this context',
  repeats: (place: number) => (place === 0 ? 'same as a tool' : `same as in message ${place}`),
  message: (place: number) => `Message ${place}`,
  dropped: (amount: string) => `${amount} dropped`,
  somethingDropped: 'something dropped',
  droppedTitle: 'Sent with the agent’s previous call, not with this one',
  droppedSince: (amount: string) => `${amount} dropped since the previous call`,
  before: 'Open the previous call',
  media: (count: number) =>
    count === 1 ? '1 image or file not counted.' : `${count} images or files not counted.`,
  more: (count: number) => `${count} more`,
  stream: 'Context over the session',
  streamNote: 'input of each LLM call, by start time',
  call: (place: number, count: number) => `LLM call ${place} of ${count}`,
  upTo: (amount: string) => `up to ${amount}`,
  leftOut: (count: number) =>
    count === 1 ? '1 later LLM call not loaded' : `${count} later LLM calls not loaded`,
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
  total: 'Includes spans below, excludes waiting; parallel spans each count',
  p50: 'Median: half took less',
  p95: '95 % took less',
  tokens: 'Counted once, even if spans below report them too',
  cached: 'cached',
  reasoning: 'reasoning',
  noModel: '(no model)',
  ownCalls: 'Without sub-agents',
  toolUsage: 'Used by agents and models that its calls started',
  agentsNote: 'with and without sub-agents',
  slowestNote: 'by self time',
  notRead: (count: number) => `${plural(count, 'more span')} not loaded`,
  noPriceList: 'cannot load the price list: see the service log',
  noPrice: (models: string) => `no price for ${models}`,
  longestPause: 'Longest pause within an answer',
  operation: 'Operation',
  count: 'Count',
  errors: 'Errors',
  shareHead: 'Share',
  totalHead: 'Total',
  mean: 'Mean',
  max: 'Max',
  waiting: 'Waiting',
  tokensIn: 'Tokens in',
  tokensOut: 'Tokens out',
  cost: 'Cost',
  operations: 'Operations',
  model: 'Model',
  calls: 'Calls',
  tool: 'Tool',
  agent: 'Agent',
  runs: 'Runs',
  time: 'Time',
  toolCalls: 'Tool calls',
  withSubAgents: 'with sub-agents',
  counting: 'Counting …',
  agents: 'Agents',
  models: 'Models',
  tools: 'Tools',
  streamedAnswers: 'Streamed answers',
  tokensOverTime: 'Tokens over time',
  slowestSpans: 'Slowest spans',
  longestWaits: 'Longest waits',
  waitsNote: 'for a person',
  waitingNow: 'waiting now',
  tokensInLabel: 'tokens in',
  timeToFirstToken: 'Time to first token',
  out: 'out',
  runningCount: (count: number) => `${count} running`,
  llmCalls: 'LLM calls',
  tokensOf: (what: string) => `Tokens ${what}`,
  costOf: (what: string) => `Cost ${what}`,
  more: (count: number) => `${count} more`,
  prices: (list: string, date: string | null) =>
    `prices: ${list}${date === null ? '' : ` of ${date}`}`,
  usedIn: (tokens: string, cost: string | undefined, length: string, most: string, bar: string) =>
    `${tokens} tokens${cost === undefined ? '' : ` and ${cost}`} in ${length}; at most ${most} in ${bar}.`,
  showOperation: (name: string) => `Show ${name} in the waterfall`,
  errorsOf: (count: number, name: string) => `${plural(count, 'error')} of ${name}: open the first`,
  howMany: (name: string) => `${name}: count`,
  theLongest: (name: string) => `${name}: longest`,
  longest: 'longest',
  usedAt: (at: string, input: string, output: string, cost: string | undefined) =>
    `After ${at}: ${input} in, ${output} out${cost === undefined ? '' : `, ${cost}`}`,
  spent: (all: string) => `spent, up to ${all}`,
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
  isPending: 'pending',
  toServer: 'client to server',
  toClient: 'server to client',
  connection: (id: number | string) => `connection ${id}`,
  attempt: (number: number | string) => `attempt ${number}`,
  done: (value: number | string, total: number | string) => `${value} of ${total}`,
  errorCode: (code: string) => `error ${code}`,
  rpcError: (code: string) => `JSON-RPC error ${code}`,
  unusableBecause: (code: string) => `No usable response: ${code}.`,
  noResponse: 'Response not captured',
  noEnvelope: 'no envelope',
  questionToPerson: 'Question for a person:',
  request: 'Request',
  loading: 'loading …',
  error: 'Error',
  response: 'Response',
  notification: 'Notification',
  headers: 'the headers',
  servers: 'MCP servers',
  allServers: 'Show all servers',
  onlyServer: 'Show only this server',
  withHandshake: 'with handshake',
  unnamedServer: 'unnamed server',
  find: 'Find in the MCP log',
  findPlaceholder: 'Find in MCP log',
  method: 'Method',
  showNotifications: 'Show notifications',
  log: 'MCP log',
  messages: 'MCP messages',
  asksForInput: 'asks for input',
  noAnswer: 'no answer',
  toolError: 'tool error',
  parseError: 'parse error',
  invalidRequest: 'invalid request',
  methodNotFound: 'method not found',
  invalidParams: 'invalid params',
  internalError: 'internal error',
  resourceNotFound: 'resource not found',
  requestCancelled: 'request cancelled',
  toolReportedError: 'The tool reported an error (isError).',
  cancelled: 'Cancelled.',
  unusable: 'No usable response.',
  noResponseYet: 'No response.',
  nextError: 'Next error',
  copyMessage: 'Copy the MCP message',
  meanwhile: 'During this call',
  progress: 'progress',
  command: 'the command',
  python: 'the Python code',
  httpHeaders: 'HTTP headers',
  message: 'message',
  requestToPerson: 'asked a person',
  notifications: 'notifications',
  ofServer: (name: string) => `of ${name}`,
  round: (number: number, isInput: boolean) =>
    isInput ? `Round ${number} · the server asks for input` : `Round ${number}`,
  /** `round`: of a call with several. */
  theRequest: (round: number | undefined) =>
    round === undefined ? 'the request' : `the request of round ${round}`,
  theResponse: (round: number | undefined) =>
    round === undefined ? 'the response' : `the response of round ${round}`,
  answer: (state: string | null) => (state === null ? 'Answer:' : `Answer (${state}):`),
  truncated: (original_bytes: number | undefined) =>
    original_bytes === undefined
      ? 'Truncated by the sender.'
      : `Truncated by the sender: originally ${formatBytes(original_bytes)}.`,
  at: (step: string) => `at ${step}`,
  pending: (count: number) => `${count} pending`,
  slowest: (took: string) => `slowest ${took}`,
  slowestCall: (name: string) => `Slowest: ${name}`,
  stderr: (lines: number) => `stderr ${plural(lines, 'line')}`,
} as const;

export const TRANSCRIPT_TEXT = {
  foldAgents: 'Fold all agents',
  unfoldAgents: 'Unfold all agents',
  openEntry: 'Open the span of the entry',
  copyEntry: 'Copy the entry',
  endOf: (name: string) => `End of ${name}`,
  toolCalls: (count: number) => plural(count, 'tool call'),
  allTokens: (count: string) => `${count} tokens`,
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
  retryFailed: 'Called again, failed again',
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
  loadFailed: 'Failed to load. Retry',
  truncated: 'Truncated by the sender.',
  allSpans: 'All spans',
  allSpansTitle: 'Includes wrappers, duplicates and transport',
  allSpansAction: 'Toggle all spans',
  isThinking: 'is thinking',
  isAnswering: 'is answering',
  isRunning: 'running',
  turnsBelow: (count: number, isMore: boolean) =>
    isMore ? `${count} more in sub-agents` : `${plural(count, 'turn')} in sub-agents`,
  /** Pause within an answer that still comes, and the longest one of an answer. */
  stalls: (took: string) => `stalled for ${took}`,
  onlyTheEnd: (chars: number) =>
    `The last of ${groupThousands(chars)} characters so far. The full answer appears once it is complete.`,
  /** Ends `research lead …`. */
  hasBeenWorkingFor: 'has been working for',
  endings: {
    error: 'failed',
    cancelled: 'was cancelled',
    lost: 'lost contact',
    ok: 'finished',
    unset: 'finished',
  } as Readonly<Record<string, string>>,
  endedAfter: (how: string, took: string) =>
    how === 'finished' ? `finished in ${took}` : `${how} after ${took}`,
  agentContinued: 'The agent continued.',
  timeOfDay: 'Time of day',
  timeOfDayTitle: 'Show the time of day, not the time since the start',
  timeOfDayAction: 'Toggle time of day',
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
  theTask: 'the task',
  theAnswer: 'the answer',
  tokensTitle: 'Tokens in and out',
  request: 'request',
  response: 'response',
  byClient: 'by the client',
  reasoning: 'the reasoning',
  result: 'result',
  part: 'the part',
  theError: 'the error',
  hook: 'a hook',
  changedValue: 'the changed value',
  denied: 'denied',
  progress: 'Progress',
  transcript: 'Transcript',
  entries: 'Entries',
  failedInside: (name: string) => `${name} failed inside`,
  hasFailed: (name: string) => `${name} failed`,
  inAgent: (name: string) => `in ${name}`,
  tokens: (input: string, output: string) => `${input} → ${output} tokens`,
  link: 'link',
  data: 'data',
  inSpan: 'in the span',
  by: 'by',
  theState: (name: string) => `the state ${name}`,
} as const;

/** The graph of agents. */
export const GRAPH_TEXT = {
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  showAll: 'Show the whole graph',
  graph: 'Graph',
  showAllTitle: 'Show the whole graph (0)',
  handsOffTo: 'hands off to',
  handedOff: 'Handed off',
  called: 'Called',
  noRun: 'no run recorded',
  nodes: 'Nodes',
  edges: 'Edges',
  name: 'Name',
  runsOrCalls: 'Runs or calls',
  running: 'Running',
  waiting: 'Waiting',
  time: 'Time',
  waited: 'Waited',
  tokens: 'Tokens',
  excludesSubAgents: 'Excludes sub-agents',
  cost: 'Cost',
  edge: 'Edge',
  order: 'Order',
  count: 'Count',
  includesSubAgents: 'Includes sub-agents',
  loading: 'Loading …',
  noSpans: 'No spans yet.',
  noAgents:
    'No agents in this session. Agents are spans with gen_ai.operation.name = invoke_agent, or its equivalent in other conventions.',
  toggleOrder: 'Graph: toggle execution order',
  toggleModels: 'Graph: toggle models',
  toggleTools: 'Graph: toggle tools',
  toggleTable: 'Graph: toggle table',
  looking: 'Looking for agents …',
  executionOrderTitle: 'One node per run, edges numbered by start',
  executionOrder: 'Execution order',
  usedTitle: 'What agents use',
  models: 'Models',
  tools: 'Tools',
  tableTitle: 'The same data as tables',
  table: 'Table',
  zoomInTitle: 'Zoom in (+)',
  zoomOutTitle: 'Zoom out (-)',
  calls: 'calls',
  oneError: '1 error',
  about: (nodes: number, edges: number) =>
    `${plural(nodes, 'node')}, ${plural(edges, 'edge')}. Arrow keys move along edges; "Table" shows the same data as tables.`,
  leftOut: (count: number) =>
    `${plural(count, 'more node')} not shown: agents, errors and the nodes with most spans come first.`,
} as const;

/** Usage. */
export const USAGE_TEXT = {
  filter: 'Filter',
  usage: 'Usage',
  showSessions: 'Show the sessions',
  groupBy: 'Group by',
  by: 'By',
  clearFilter: 'Clear the filter',
  howToSend: 'How to send one',
  day: 'Day',
  opensSessions: 'Opens the sessions of the row',
  allSessions: 'All sessions',
  sessions: 'Sessions',
  toolCalls: 'Tool calls',
  tokensIn: 'Tokens in',
  tokensOut: 'Tokens out',
  noCost: 'No cost',
  noCostTitle: 'Calls without a known price, not included in the cost',
  cost: 'Cost',
  costTitle: 'Of calls with a known price',
  shareOfCost: 'Share of all cost',
  llmCalls: 'LLM calls',
  shareHead: (what: string) => `Of the ${what}`,
  shareOfTokens: 'Share of all tokens, because some calls have no known price',
  noneHas: (key: string) => `None of these sessions has a ${key}. Set one with`,
  usageBy: (key: string) => `Usage by ${key}`,
  showCount: (sessions: number) => `Show the ${plural(sessions, 'session')}`,
  without: (key: string) => `no ${key}`,
} as const;

/** What a reader has to know about sums of usage. */
export const USAGE_REMARKS = {
  days: 'Days are UTC.',
  countedSince: (since: string) =>
    `Only sessions since ${since} are counted. Narrow the filter to count all.`,
  onlySome: (shown: number, all: number, by: string) =>
    `Only the ${groupThousands(shown)} ${by === 'day' ? 'newest' : 'most expensive'} of ${plural(all, by)} are shown.`,
  several: (by: string) => `Sessions with several ${by}s count for each of them.`,
  unknownCost: (calls: number) => `Cost unknown: no price for ${plural(calls, 'call')}.`,
  leastCost: (calls: number) => `≥: excludes ${plural(calls, 'call')} without a known price.`,
} as const;

/** The search page. */
export const SEARCH_PAGE_TEXT = {
  found: 'Found',
  search: 'Search',
  heading: 'Search all sessions',
  tryAgain: 'Try again',
  exactPhrase: 'an exact phrase, in names and content',
  failedTools: 'failed tool calls',
  slowTools: 'slow calls of git tools',
  largeCalls: 'large LLM calls, without small models',
  toolsOfAgent: 'tools that an agent called directly',
  attributeValue: 'spans with this attribute value',
  textInFailed: 'text in failed sessions',
  oneService: 'one service, last two hours',
  narrow: 'Narrow the results',
  spansFound: (spans: number, sessions: number, hasMore: boolean) =>
    `${plural(spans, 'span')} in ${plural(sessions, 'session')}${hasMore ? ', and more' : ''}`,
} as const;

/** Captured states of a span. */
export const STATE_TEXT = {
  previousAction: 'Previous change of the state',
  nextAction: 'Next change of the state',
  span: 'Span',
  loading: 'Loading',
  list: 'States of this span',
  onThisSpan: 'on this span',
  onAnotherSpan: 'on another span',
  longSession: 'Long session: not all changes are counted.',
  state: 'the state',
  previousTitle: 'Previous change of this state (,)',
  previous: 'Previous change of this state',
  nextTitle: 'Next change of this state (;)',
  next: 'Next change of this state',
  firstCapture: 'First capture.',
  unchanged: 'Unchanged since the previous capture.',
  whatChanged: 'What changed',
  path: 'the path',
  valueBefore: 'the value before',
  valueAfter: 'the value after',
  wholePath: 'everything',
  fullState: 'Full state at this point',
  show: (count: number) => `Show ${groupThousands(count)}`,
} as const;

export const COMPARE_TEXT = {
  about:
    'Differences in spans, errors, durations, cost and output, matched from the root down. Type part of a title, or paste an id or a link.',
  sameTwice: 'Both sides are the same session. Choose another one.',
  comparing: 'Comparing …',
  gone: 'The session may have been deleted, or its id is incomplete. Choose another one.',
  stillRuns: 'A session was still running. Compare again to update.',
  none: 'No differences.',
  noneOfKind: 'No differences of this kind.',
  outputPart: 'First different part of the output',
  errorBefore: 'Error before',
  errorAfter: 'Error after',
  openBefore: 'Open in session before',
  openAfter: 'Open in session after',
  title: 'Compare',
  heading: 'Compare sessions',
  before: 'Before',
  after: 'After',
  aligned: 'Aligned',
  byImportance: 'By importance',
  tree: 'Aligned steps',
  first: 'First difference',
  follows: 'Starts after the first difference and may follow from it.',
  same: 'The same in both sessions.',
  absent: 'not in this run',
  running: 'running',
  lost: 'lost',
  nextDifference: 'Next difference',
  previousDifference: 'Previous difference',
  swap: 'Swap the sessions',
  again: 'Compare again',
  all: 'All differences',
  step: 'Step',
  runs: 'Steps of all runs',
  firstRun: 'first run',
  addRun: 'Add a run',
  removeRun: 'Remove from the comparison',
  withoutRun: 'Compare the others',
  signs: 'Signs',
  backToRuns: (count: number) => `Back to all ${count} runs`,
  changed: 'New spans arrived. Compare again to include them.',
  partly: (count: number) =>
    `Content of ${plural(count, 'span')} not compared: too large or too many`,
  sessionBefore: 'Session before',
  swapTitle: 'Swap the sessions (X)',
  swapLabel: 'Swap',
  sessionAfter: 'Session after',
  chooseTwo: 'Choose two runs of the same task',
  kinds: 'Kinds of differences',
  sides: 'Side by side',
  differences: 'Differences',
  difference: 'Difference',
  differenceLabel: 'difference',
  sessions: 'Sessions',
  pickerHint: (side: string) => `${side}: title, id or link`,
} as const;

/** The sentence over a comparison; `change` in words, such as `different output`. */
export function firstDifference(change: string | undefined): string {
  const what = change === undefined ? 'is different' : (FIRST_DIFFERENCE[change] ?? change);
  return `${what}. Later differences may follow from it.`;
}

/** What happened to a step, after its name. */
const FIRST_DIFFERENCE: Readonly<Record<string, string>> = {
  failed: 'failed',
  recovered: 'no longer fails',
  added: 'was added',
  removed: 'was removed',
  other_model: 'ran on a different model',
  asked_differently: 'got different input',
  answered_differently: 'gave different output',
};

/** Steps that are not shown between others; `mayDiffer`: in ways that are not marked in them. */
export function stepsBetween(count: number, mayDiffer: boolean, isPartly: boolean): string {
  return mayDiffer ? plural(count, 'other step') : withoutDifference(count, 'step', isPartly);
}

/** Spans or steps without a difference; `isPartly`: the content of some was not compared. */
export function withoutDifference(count: number, what: string, isPartly: boolean): string {
  return `${plural(count, what)} ${isPartly ? 'with no difference found' : 'the same'}`;
}

export function laterDifferences(count: number, isShown: boolean): string {
  const what = `${plural(count, 'later difference')} may follow from this`;
  return `${what}: ${isShown ? 'hide' : 'show'}`;
}

export function stepsBelow(count: number): string {
  return `${plural(count, 'step')} below`;
}

export function differencesBelow(count: number): string {
  return `${plural(count, 'difference')} below`;
}

export function selfTime(own_ns: number): string {
  return `self ${formatDuration(own_ns)}`;
}

/** Steps that only some of the runs have in the same way. */
export function runsDiffer(differing: number, steps: number): string {
  return `${groupThousands(differing)} of ${plural(steps, 'step')} differ between the runs`;
}
