/** Steps of compared sessions, as far as they were read. */
import { firstUnread, joined, type Placed } from '../model/sessions/aligned.ts';
import { Cell } from './cell.ts';
import { failed, type LoadState } from './sessions.ts';

const PAGE_SIZE = 500;
/** Limit of pages that are read to reach one row. */
const MOST_PAGES = 20;

export interface PageOfSteps<S> {
  readonly steps: readonly S[];
  readonly row_count: number;
  readonly version: string;
  readonly next_row: number | null;
}

interface Wanted {
  readonly row: number;
  readonly limit: number;
  readonly every?: boolean;
  /** Version of the first page: rows are places in it. */
  readonly version?: string | undefined;
}

interface Known<S> {
  readonly steps: readonly S[];
  /** The first row of which it is not known whether it differs. */
  readonly reached: number;
}

export class AlignedTree<S extends Placed, P extends PageOfSteps<S>> {
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  readonly first = new Cell<P | undefined>(undefined);
  readonly known = new Cell<Known<S>>({ steps: [], reached: 0 });
  private readonly readPage: (page: Wanted, signal: AbortSignal) => Promise<P>;
  private readonly reading = new AbortController();
  private next: number | null = 0;
  /** Requests follow each other. */
  private last: Promise<void> = Promise.resolve();

  constructor(readPage: (page: Wanted, signal: AbortSignal) => Promise<P>) {
    this.readPage = readPage;
  }

  close(): void {
    this.reading.abort();
  }

  /** Read the next page of what differs. */
  more(): Promise<void> {
    return this.queue(async () => {
      if (this.next === null) return;
      const page = await this.page({ row: this.next, limit: PAGE_SIZE });
      this.next = page.next_row;
      if (this.first.get() === undefined) this.first.set(page);
      const { steps } = this.known.get();
      this.known.set({
        steps: joined(steps, page.steps),
        reached: page.next_row ?? page.row_count,
      });
    });
  }

  /** Read a page of the rows from `start`, at most up to `stop`, that were not read. */
  open(start: number, stop: number): Promise<void> {
    return this.queue(async () => {
      const { steps } = this.known.get();
      const row = firstUnread(steps, start, stop);
      if (row >= stop) return;
      const limit = Math.min(stop - row, PAGE_SIZE);
      const page = await this.page({ row, limit, every: true });
      this.known.set({ ...this.known.get(), steps: joined(steps, page.steps) });
    });
  }

  /** Read what leads to a row, and the row itself, unless that is more than many pages. */
  async reach(row: number): Promise<void> {
    for (let page = 0; page < MOST_PAGES && this.next !== null; page += 1) {
      if (this.known.get().reached > row || this.reading.signal.aborted) break;
      await this.more();
    }
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { steps, reached } = this.known.get();
      const before = steps.filter((step) => step.row <= row).at(-1);
      if (before?.row === row || row >= reached || this.state.get().kind === 'failed') return;
      await this.open((before?.row ?? -1) + 1, row + 1);
    }
  }

  private page(wanted: Wanted): Promise<P> {
    const version = this.first.get()?.version;
    return this.readPage({ ...wanted, version }, this.reading.signal);
  }

  private queue(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work).then(
      () => this.state.set({ kind: 'ready' }),
      (error: unknown) => {
        if (!this.reading.signal.aborted) this.state.set(failed(error));
      },
    );
    return this.last;
  }
}
