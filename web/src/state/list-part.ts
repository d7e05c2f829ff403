/**
 * The part of the session list that is delivered where more changes than anybody can read: the
 * rows that the shown list may have, and those in view first. Elsewhere the whole list is.
 */
import type { StreamEvent } from '../api/types.ts';

export interface ListPart {
  /** Query of the list that is shown; the empty one has every session. */
  readonly query: string;
  /** Ids of rows that come first. */
  readonly rows: readonly string[];
}

/** Rows in a second from which on a part is enough; the service sends 200 of a part. */
const BUSY_ROWS = 100;
/** Length of a time up to its seconds: `2026-01-31T12:00:00`. */
const SECOND_CHARS = 19;
/** Least time between two parts, with each of which the list is read again. */
const AGAIN_MS = 3000;
/** Limits of rows that are named: an address is not to be longer than servers on the way take. */
const MOST_ROWS = 100;
const MOST_ID = 64;

export class ListParts {
  /** The part that is wanted; undefined: the whole list. */
  wanted: ListPart | undefined;
  /** Ids of the rows in view. */
  inView: readonly string[] = [];
  private readonly onChange: () => void;
  private query = '';
  private second = '';
  private count = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `onChange`: another part is wanted, and the list is to be read again once it is delivered. */
  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  /** Changes came while the list with this query was shown, which the service has accepted. */
  observe(query: string, events: readonly StreamEvent[]): void {
    if (this.query !== query && this.wanted !== undefined) this.change();
    this.query = query;
    for (const event of events) {
      if (event.type === 'LeftOut') this.change();
      if (!('session' in event)) continue;
      // By when it was stored: after a pause the page gets the changes of minutes at once.
      const second = event.time.slice(0, SECOND_CHARS);
      this.count = second === this.second ? this.count + 1 : 1;
      this.second = second;
      if (this.count > BUSY_ROWS && this.wanted === undefined) this.change();
    }
  }

  private change(): void {
    const wait_ms = this.wanted === undefined ? 0 : AGAIN_MS;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const rows = this.inView.filter((id) => id.length < MOST_ID).slice(0, MOST_ROWS);
      this.wanted = { query: this.query, rows };
      this.onChange();
    }, wait_ms);
  }
}

/** The part that has all of these; undefined: the whole list, as for one of them. */
export function unionOf(parts: readonly (ListPart | undefined)[]): ListPart | undefined {
  return parts.reduce(
    (whole, part) =>
      whole &&
      part && {
        query: whole.query === part.query ? part.query : '',
        rows: [...whole.rows, ...part.rows].slice(0, MOST_ROWS),
      },
  );
}

/** Whether a list with the query of `part` has all its changes delivered by `whole`. */
export function hasQuery(whole: ListPart | undefined, part: ListPart | undefined): boolean {
  return whole === undefined || whole.query === '' || whole.query === part?.query;
}
