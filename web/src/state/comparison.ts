/** Differences between two sessions, as far as they have been read. */
import type { Api } from '../api/client.ts';
import type { Change, Comparison, Difference } from '../api/types.ts';
import { Cell } from './cell.ts';
import { failed, type LoadState } from './sessions.ts';

const PAGE_SIZE = 500;

export class Compared {
  readonly left: string;
  readonly right: string;
  /** Kinds of the differences; empty: all. */
  readonly changes: readonly Change[];
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  /** The first page: sessions and counts are those of all pages. */
  readonly result = new Cell<Comparison | undefined>(undefined);
  readonly differences = new Cell<readonly Difference[]>([]);
  private readonly api: Api;
  private readonly reading = new AbortController();
  private next: number | null = 0;
  private isReading = false;

  constructor(api: Api, left: string, right: string, changes: readonly Change[]) {
    this.api = api;
    this.left = left;
    this.right = right;
    this.changes = changes;
  }

  close(): void {
    this.reading.abort();
  }

  /** Read the next page, if there is one and no request is open. */
  async more(): Promise<void> {
    if (this.next === null || this.isReading) return;
    this.isReading = true;
    try {
      const page = await this.api.compare(
        {
          left: this.left,
          right: this.right,
          change: this.changes,
          offset: this.next,
          limit: PAGE_SIZE,
        },
        this.reading.signal,
      );
      this.next = page.next_offset;
      this.differences.set([...this.differences.get(), ...page.differences]);
      if (this.result.get() === undefined) this.result.set(page);
      this.state.set({ kind: 'ready' });
    } catch (error) {
      if (!this.reading.signal.aborted) this.state.set(failed(error));
    } finally {
      this.isReading = false;
    }
  }
}
