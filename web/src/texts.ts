/**
 * The catalogue of the page's texts: what a person reads, in one file, a section an area.
 *
 * A text with a value in it is a function. What a trace says is never here.
 */
import type { SessionStatus } from './api/types.ts';
import { plural } from './model/text/format.ts';

// The shell: bar, banners, dialogs, errors.

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

/** How a session stands, with what went wrong in one that recovered. */
export function sessionStatus(status: SessionStatus, errors: number): string {
  const isFlawed = status === 'completed' && errors > 0;
  return isFlawed ? `completed with ${plural(errors, 'error')}` : SESSION_STATUS[status];
}

// Causes and search.

export const CAUSE_TEXT = {
  cause: 'Cause',
  answer: 'Answer',
} as const;

// A session: header, waterfall, time.

// A span: the panel beside a session.

// The transcript.

// Requests: cards, inbox, forms.

// The audit log.

// Comparison.
