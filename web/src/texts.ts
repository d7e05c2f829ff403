/**
 * The catalogue of the page's texts: what a person reads, in one file, a section an area.
 *
 * A text with a value in it is a function. What a trace says is never here.
 */

// The shell: bar, banners, dialogs, errors.

// Sessions: list, chart, filters, empty states.

// Causes and search.

// A session: header, waterfall, time.

// A span: the panel beside a session.

// The transcript.

// Requests: cards, inbox, forms.

export const REQUEST_TEXT = {
  edit: 'Your edit',
  editElsewhere: 'Edited before it ran. The edit itself is not stored.',
  editSpan: 'Show the span that ran',
  timeIsUp: 'time is up',
} as const;

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
  return `${outcome} in ${left} unless you answer`;
}

// The audit log.

export const AUDIT_TEXT = {
  title: 'Audit log',
  export: 'Export as JSON lines',
  search: 'Search the audit log',
  searchPlaceholder: 'who, tool, session, reason',
  all: 'Show agents and service',
  allTitle: 'Also what agents and the service do by themselves',
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
  /** Of actions that are not named by their decision. */
  actions: {
    request_opened: 'Ask',
    request_closed: 'Close request',
    request_withdrawn: 'Withdraw request',
    request_lost: 'Lose contact',
  },
} as const;

export function timedOut(outcome: string | undefined): string {
  return outcome === undefined ? 'Timed out' : `Timed out: ${outcome} by default`;
}

// Comparison.
