/** Ids of all sessions that a list is about, also of those that were not scrolled to. */
import type { Api } from '../api/client.ts';
import { type Listing, listingParameters } from './sessions.ts';

export const MOST_FOUND = 10_000;
const PAGE_SIZE = 1000;

/** Calls `onPage` for each page; returns whether that was all. */
export async function allFound(
  api: Pick<Api, 'sessions'>,
  listing: Listing,
  now_ms: number,
  onPage: (ids: readonly string[]) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let cursor: string | null | undefined;
  for (let count = 0; count < MOST_FOUND; ) {
    const next = cursor == null ? {} : { cursor };
    const page = await api.sessions(
      { ...listingParameters(listing, now_ms), limit: PAGE_SIZE, ...next },
      signal,
    );
    const ids = page.sessions.slice(0, MOST_FOUND - count).map(({ id }) => id);
    onPage(ids);
    count += ids.length;
    cursor = page.next_cursor;
    if (cursor === null) return true;
  }
  return false;
}
