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

// Sessions: list, chart, filters, empty states.

// Causes and search.

// A session: header, waterfall, time.

// A span: the panel beside a session.

// The transcript.

// Requests: cards, inbox, forms.

// The audit log.

// Comparison.
