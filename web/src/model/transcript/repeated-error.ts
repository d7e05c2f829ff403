/** An error that goes up through agents is read once: where it began. */
import type { Reading } from '../../api/types.ts';
import { spanKey } from '../trace/span-key.ts';
import type { TranscriptLayout } from './transcript.ts';

/** Limit in characters of what an error may add and still be the same: the name of its type, … */
const MAX_ADDED = 80;

/**
 * Spans inside of one that failed before it did and made it fail, the first cause first. What an
 * error of it repeats is theirs.
 */
export function failedBefore(layout: TranscriptLayout, key: string): readonly string[] {
  const cause = layout.sums.get(key)?.cause;
  if (cause === undefined || cause === key) return [];
  const above = layout.failedAbove(cause).map(spanKey);
  const own = above.indexOf(key);
  return [cause, ...above.slice(0, Math.max(0, own))].slice(0, MAX_BEFORE);
}

/** Limit of the spans whose errors are compared. */
const MAX_BEFORE = 8;

/** Whether two errors say the same, apart from a short addition. */
export function isSameError(one: Reading['error'], other: Reading['error']): boolean {
  const [short, long] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.length - b.length);
  if (short === undefined || long === undefined || short === '') return false;
  return long.includes(short) && long.length - short.length <= MAX_ADDED;
}

function wordsOf(error: Reading['error']): string {
  return (error?.message?.text ?? error?.type ?? '').replace(/\s+/g, ' ').trim();
}
