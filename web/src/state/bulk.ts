/** One action on many sessions, a few at a time, with progress, failures and a stop. */

import type { Api } from '../api/client.ts';
import { Cell } from './cell.ts';
import { type Listing, listingParameters } from './sessions.ts';

const AT_ONCE = 4;

interface Failure {
  readonly id: string;
  readonly message: string;
}

export interface Progress {
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Failure[];
  readonly isOver: boolean;
  readonly isStopped: boolean;
}

export class Bulk {
  readonly progress: Cell<Progress>;
  private readonly ids: readonly string[];
  private readonly abort = new AbortController();

  constructor(ids: Iterable<string>) {
    this.ids = [...ids];
    this.progress = new Cell<Progress>({
      total: this.ids.length,
      done: 0,
      failures: [],
      isOver: false,
      isStopped: false,
    });
  }

  /** Start no more; those that have started finish. */
  stop(): void {
    this.abort.abort();
  }

  /**
   * Run `act` for each id and note what it throws as that one's failure. Resolves when all have
   * ended.
   */
  async run(act: (id: string, signal: AbortSignal) => Promise<void>): Promise<void> {
    const left = [...this.ids].reverse();
    const work = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        if (this.abort.signal.aborted) return;
        await this.one(id, act);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.change({ isOver: true, isStopped: this.abort.signal.aborted });
  }

  private async one(
    id: string,
    act: (id: string, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    try {
      await act(id, this.abort.signal);
      this.change({ done: this.progress.get().done + 1 });
    } catch (error) {
      if (this.abort.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      this.change({ failures: [...this.progress.get().failures, { id, message }] });
    }
  }

  private change(values: Partial<Progress>): void {
    this.progress.set({ ...this.progress.get(), ...values });
  }
}

export const MOST_FOUND = 10_000;
const PAGE_SIZE = 1000;

/** Call `onPage` for each page; return whether the end was reached. */
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
