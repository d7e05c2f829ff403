/** Import of files into the service, one after another, with progress and outcome. */
import type { Api } from '../api/client.ts';
import type { ImportReport } from '../api/types.ts';
import { formatBytes } from '../model/text/format.ts';
import { IMPORT_TEXT } from '../texts.ts';
import { Cell } from './cell.ts';

/** Limit of a file; larger ones are for the command line, which needs no open page. */
export const MAX_FILE_BYTES = 500_000_000;
const MAX_FILES = 100;

export type ImportState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sending'; readonly sent: number }
  /** All bytes are sent; the service is importing them. */
  | { readonly kind: 'reading' }
  | { readonly kind: 'done'; readonly report: ImportReport }
  | { readonly kind: 'failed'; readonly message: string };

export interface ImportJob {
  readonly number: number;
  readonly name: string;
  readonly size_bytes: number;
  readonly state: ImportState;
}

/** A dropped item: a file, or a folder, which cannot be sent. */
export type Dropped = File | { readonly folder: string };

export class Imports {
  readonly jobs = new Cell<readonly ImportJob[]>([]);
  private readonly api: Pick<Api, 'importFile'>;
  private readonly waiting: { readonly number: number; readonly file: File }[] = [];
  private abort: AbortController | undefined;
  private last = 0;

  constructor(api: Pick<Api, 'importFile'>) {
    this.api = api;
  }

  get isBusy(): boolean {
    return this.abort !== undefined || this.waiting.length > 0;
  }

  /** Send `files`; resolves with their jobs when all have ended. */
  async add(files: readonly Dropped[]): Promise<readonly ImportJob[]> {
    const numbers = new Set<number>();
    for (const [index, dropped] of files.entries()) {
      this.last += 1;
      numbers.add(this.last);
      const name = 'folder' in dropped ? dropped.folder : dropped.name;
      const size_bytes = 'folder' in dropped ? 0 : dropped.size;
      const refusal = index < MAX_FILES ? refused(dropped) : IMPORT_TEXT.tooMany(MAX_FILES);
      const state: ImportState =
        refusal === undefined ? { kind: 'queued' } : { kind: 'failed', message: refusal };
      this.jobs.set([...this.jobs.get(), { number: this.last, name, size_bytes, state }]);
      if (refusal === undefined && !('folder' in dropped)) {
        this.waiting.push({ number: this.last, file: dropped });
      }
    }
    if (this.abort === undefined) await this.work();
    return this.jobs.get().filter(({ number }) => numbers.has(number));
  }

  /** Send nothing more. What the service has imported by then stays. */
  stop(): void {
    for (const { number } of this.waiting.splice(0)) {
      this.set(number, { kind: 'failed', message: IMPORT_TEXT.notSent });
    }
    this.abort?.abort();
  }

  /** Remove the jobs that have ended. */
  clear(): void {
    const isOpen = ({ state }: ImportJob) => state.kind !== 'done' && state.kind !== 'failed';
    this.jobs.set(this.jobs.get().filter(isOpen));
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      const { number, file } = next;
      this.abort = new AbortController();
      const onProgress = (sent: number) =>
        this.set(number, sent < 1 ? { kind: 'sending', sent } : { kind: 'reading' });
      onProgress(0);
      try {
        const report = await this.api.importFile(file, onProgress, this.abort.signal);
        this.set(number, { kind: 'done', report });
      } catch (error) {
        const message = this.abort.signal.aborted
          ? IMPORT_TEXT.stopped
          : error instanceof Error
            ? error.message
            : String(error);
        this.set(number, { kind: 'failed', message });
      }
      this.abort = undefined;
    }
  }

  private set(number: number, state: ImportState): void {
    this.jobs.set(this.jobs.get().map((job) => (job.number === number ? { ...job, state } : job)));
  }
}

/** Reason why an item is not sent at all; undefined: it is. */
function refused(dropped: Dropped): string | undefined {
  if ('folder' in dropped) return IMPORT_TEXT.folder;
  if (dropped.size > MAX_FILE_BYTES) {
    return IMPORT_TEXT.tooLarge(formatBytes(dropped.size), formatBytes(MAX_FILE_BYTES));
  }
  return dropped.size === 0 ? IMPORT_TEXT.empty : undefined;
}
