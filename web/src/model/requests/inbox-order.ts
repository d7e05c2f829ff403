/** Order of the inbox: open requests by urgency, closed ones below, no row moved that is in use. */

export interface InboxOrder {
  /** The order that is shown; empty at first. */
  readonly before: readonly string[];
  /** Open requests, the most urgent first. */
  readonly pending: readonly string[];
  /** Whether a request that is not open is still known. */
  readonly isKnown: (id: string) => boolean;
  /** Rows that somebody points at or has focused: they keep their place. */
  readonly inUse: readonly (string | undefined)[];
}

/**
 * The ids in order: `pending`, then what was shown and has closed, the last closed first. A row in
 * use stays at its index, and the others go around it.
 */
export function inboxOrder({ before, pending, isKnown, inUse }: InboxOrder): readonly string[] {
  const waiting = new Set(pending);
  const closed = before.filter((id) => !waiting.has(id) && isKnown(id));
  const sorted = [...pending, ...closed];
  const known = new Set(sorted);
  const fixed = before.flatMap((id, index) =>
    inUse.includes(id) && known.has(id) ? [{ id, index }] : [],
  );
  const next = sorted.filter((id) => !inUse.includes(id) || !before.includes(id));
  // From the top: an index counts the rows in use above it.
  for (const { id, index } of fixed) next.splice(index, 0, id);
  return next;
}
