/**
 * The catalogue of the page's texts: what a person reads, in one file, a section an area.
 *
 * A text with a value in it is a function. What a trace says is never here.
 */
import { groupThousands } from './model/text/format.ts';

// The shell: bar, banners, dialogs, errors.

// Sessions: list, chart, filters, empty states.

export const SESSIONS_TEXT = {
  compare: 'Compare',
  compareSelected: 'Compare the two selected sessions',
} as const;

// Causes and search.

// A session: header, waterfall, time.

export const SESSION_TEXT = {
  now: 'Now',
  andMore: (count: number) => `and ${count} more`,
  waiting: 'waiting',
  /** Pause within an answer that still comes, and the longest one of an answer. */
  stalled: 'stalled',
  stalls: (took: string) => `stalled ${took}`,
  paused: (took: string) => `paused ${took} within the answer`,
} as const;

// A span: the panel beside a session.

// The transcript.

export const TRANSCRIPT_TEXT = {
  isThinking: 'is thinking',
  isAnswering: 'is answering',
  isRunning: 'running',
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
  agentContinued: ' The agent continued.',
} as const;

// Requests: cards, inbox, forms.

// The audit log.

// Comparison.

export const COMPARE_TEXT = {
  compareWith: 'Compare with…',
} as const;
