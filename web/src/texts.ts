/**
 * The catalogue of the page's texts: what a person reads, in one file, a section an area.
 *
 * A text with a value in it is a function. What a trace says is never here.
 */

// The shell: bar, banners, dialogs, errors.

// Sessions: list, chart, filters, empty states.

export const SESSIONS_TEXT = {
  compare: 'Compare',
  compareSelected: 'Compare the two selected sessions',
} as const;

// Causes and search.

// A session: header, waterfall, time.

// A span: the panel beside a session.

// The transcript.

// Requests: cards, inbox, forms.

// The audit log.

// Comparison.

export const COMPARE_TEXT = {
  compareWith: 'Compare with…',
} as const;
