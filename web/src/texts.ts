/**
 * The catalogue of the page's texts: what a person reads, in one file, a section an area.
 *
 * A text with a value in it is a function. What a trace says is never here.
 */

// The shell: bar, banners, dialogs, errors.

export const SHELL_TEXT = {
  palette: 'All actions',
  firstSteps: 'First steps',
  chart: 'Chart',
  imports: 'Imports',
  selected: 'Selected sessions',
  closePanel: 'Close panel, then session',
  closeRequest: 'Close the request',
  close: 'Close',
  loading: 'Loading …',
  retry: 'Retry',
  reload: 'Reload the page',
  pageThrew: 'The page stopped because of an error.',
  pageThrewAdvice: 'Agents and stored sessions are not affected.',
  missingAdvice: 'The service did not send it. Check that the service runs, then retry.',
  throwingAdvice: 'The rest of the page still works.',
} as const;

export const PAGE_NAMES = {
  sessions: 'Sessions',
  session: 'Session',
  waiting: 'Waiting',
  search: 'Search',
  compare: 'Compare',
  usage: 'Usage',
  audit: 'Audit',
  unknown: 'Page',
} as const;

/** Headline where the code of a part could not be loaded. */
export function missingPart(name: string): string {
  return `“${name}” could not be loaded.`;
}

/** Headline where a part failed to render. */
export function throwingPart(name: string): string {
  return `“${name}” cannot show this.`;
}

export const SESSION_VERB_TEXT = {
  share: 'Share',
  screenshot: 'Screenshot mode (Esc exits)',
  pauseTitle: 'Pauses before the next operation',
  stepTitle: 'Runs one operation, then pauses again',
  stop: 'Stop…',
  toStop: 'Stop the session: to its button',
  stopQuestion: 'Stop this session?',
  stopMore: 'The agent is cancelled. This cannot be undone.',
  stopConfirm: 'Stop session',
  stopKeep: 'Keep running',
} as const;

export const VERB_LABELS = { pause: 'Pause', resume: 'Resume', step: 'Step' } as const;

export const VERB_SENDING = {
  pause: 'Pausing …',
  resume: 'Resuming …',
  step: 'Stepping …',
  cancel: 'Stopping …',
} as const;

// Sessions: list, chart, filters, empty states.

export const SESSION_LIST_TEXT = {
  view: 'Columns and sorting',
  reset: 'Reset to defaults',
  keep: 'Keep',
} as const;

export const EMPTY_TEXT = {
  sessions: 'No sessions yet',
  sessionsLead: 'Run an agent and watch it here while it works. Pick one of the ways below.',
  run: 'Watch a Python agent, without changing it',
  proxy: 'Watch an MCP server: use this as its command in your MCP client’s config',
  demo: 'Watch a demo agent',
  saved: 'Have a saved session? Drop the file here or browse.',
  ownCode: 'Or send sessions from your own code',
  mcp: 'No MCP traffic in this session',
  mcpLead: 'The session has no messages between an MCP client and a server. Ways to see some:',
  mcpProxy: 'Any MCP server over stdio: use this as its command in your MCP client’s config',
  mcpRun: 'A Python agent that uses the MCP SDK or FastMCP',
  mcpHooks: 'Your own client: report each request on the hook bus',
  mcpOtel: 'The MCP SDK’s own spans: methods, ids and times',
  mcpOther: 'Any other instrumentation',
} as const;

/** Question before sessions are deleted; `what` says how many: `3 sessions`. */
export function deleteQuestion(what: string): string {
  return `Delete ${what} permanently?`;
}

// Causes and search.

// A session: header, waterfall, time.

// A span: the panel beside a session.

// The transcript.

// Requests: cards, inbox, forms.

// The audit log.

// Comparison.
