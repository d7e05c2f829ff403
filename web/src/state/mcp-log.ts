/** MCP log of one session: its pages, then its changes, while it is observed. */
import type { Api } from '../api/client.ts';
import type { McpEntry } from '../api/types.ts';
import { Cell } from './cell.ts';
import { failed, type LoadState } from './sessions.ts';

export class McpLog {
  readonly entries = new Map<string, McpEntry>();
  /** Incremented when entries arrive. */
  readonly version = new Cell(0);
  readonly state = new Cell<LoadState>({ kind: 'loading' });
  private readonly api: Api;
  private readonly sessionId: string;
  private readonly closing = new AbortController();
  /** Change number up to which the log is complete; undefined until the pages are read. */
  private change: number | undefined;
  private isReading = false;
  private isWanted = false;

  constructor(sessionId: string, api: Api) {
    this.sessionId = sessionId;
    this.api = api;
  }

  close(): void {
    this.closing.abort();
  }

  /** Read the new entries; a call during a read causes one more read. */
  async read(): Promise<void> {
    if (this.isReading) {
      this.isWanted = true;
      return;
    }
    this.isReading = true;
    try {
      do {
        this.isWanted = false;
        await (this.change === undefined ? this.readPages() : this.readSince(this.change));
      } while (this.isWanted && !this.closing.signal.aborted);
      this.state.set({ kind: 'ready' });
    } catch (error) {
      // What is shown stays; what failed is tried again with the next change.
      if (!this.closing.signal.aborted && this.change === undefined) this.state.set(failed(error));
    } finally {
      this.isReading = false;
    }
  }

  private async readPages(): Promise<void> {
    let cursor: string | undefined;
    let change: number | undefined;
    do {
      const wanted = cursor === undefined ? {} : { cursor };
      const page = await this.api.mcpLog(this.sessionId, wanted, this.closing.signal);
      // What changes while the pages are read comes after the first of them.
      change ??= page.change;
      this.merge(page.entries);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && !this.closing.signal.aborted);
    this.change = change;
  }

  private async readSince(since: number): Promise<void> {
    const page = await this.api.mcpLog(this.sessionId, { since }, this.closing.signal);
    if (page.is_gap) {
      await this.readPages();
      return;
    }
    this.merge(page.entries);
    if (page.change > since) {
      this.change = page.change;
      // Either it is the newest, and nothing comes, or the rest does.
      this.isWanted ||= page.entries.length >= MANY;
    }
  }

  private merge(entries: readonly McpEntry[]): void {
    if (entries.length === 0) return;
    for (const entry of entries) this.entries.set(entry.key, entry);
    this.version.set(this.version.get() + 1);
  }
}

/** Number of entries that suggests a further page. */
const MANY = 1000;
