/**
 * Connection to the change feed: it resumes after the last id, waits longer after each failure,
 * and notices silence.
 */
import type { StreamEvent } from '../api/types.ts';

export type ConnectionStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** `retry_at_ms`: local time. */
  | { readonly kind: 'reconnecting'; readonly retry_at_ms: number }
  | { readonly kind: 'refused'; readonly status: number };

export interface FeedMessage {
  /** Position after this message; empty if the message has none. */
  readonly id: string;
  readonly event: StreamEvent;
}

interface ConnectionParts {
  readonly open: (url: string) => EventSource;
  readonly url: (after: string) => string;
  /** Returns a position to start from. Rejects if the service does not answer. */
  readonly bootstrap: () => Promise<string>;
  readonly onMessage: (message: FeedMessage) => void;
  readonly onStatus: (status: ConnectionStatus) => void;
}

/** Silence after which a connection counts as dead; the service sends something every 10 s. */
const SILENCE_MS = 25_000;
const RETRY_MS = [500, 1000, 2000, 3000, 5000] as const;

export class Connection {
  position: string | undefined;
  private readonly parts: ConnectionParts;
  private source: EventSource | undefined;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  /** Number of the attempt, so that a late answer to an old one is ignored. */
  private attempt = 0;

  constructor(parts: ConnectionParts, position: string | undefined) {
    this.parts = parts;
    this.position = position;
  }

  /**
   * Connect, or connect anew with a changed address. When it returns, the position is known and
   * every later change will be delivered.
   */
  async reopen(): Promise<void> {
    this.stop();
    this.attempt += 1;
    const { attempt } = this;
    if (this.position === undefined) {
      try {
        const position = await this.parts.bootstrap();
        if (attempt !== this.attempt) return;
        this.position ??= position;
      } catch (error) {
        if (attempt === this.attempt) this.onFailure(statusOf(error));
        return;
      }
    }
    this.listen(this.position);
  }

  close(): void {
    this.attempt += 1;
    this.stop();
  }

  private listen(after: string): void {
    const source = this.parts.open(this.parts.url(after));
    this.source = source;
    source.addEventListener('message', (message: MessageEvent<string>) => this.onMessage(message));
    source.addEventListener('open', () => {
      this.failures = 0;
      this.parts.onStatus({ kind: 'live' });
      this.expectMore();
    });
    source.addEventListener('error', () => this.onError());
    this.expectMore();
  }

  private onMessage(message: MessageEvent<string>): void {
    this.expectMore();
    if (message.lastEventId !== '') this.position = message.lastEventId;
    this.parts.onMessage({
      id: message.lastEventId,
      event: JSON.parse(message.data) as StreamEvent,
    });
  }

  /** Ask for a position: unlike EventSource, the answer says why the connection failed. */
  private onError(): void {
    this.stop();
    this.attempt += 1;
    const { attempt } = this;
    this.parts.bootstrap().then(
      () => attempt === this.attempt && this.onFailure(0),
      (error: unknown) => attempt === this.attempt && this.onFailure(statusOf(error)),
    );
  }

  private onFailure(status: number): void {
    if (status === 401 || status === 403) {
      this.parts.onStatus({ kind: 'refused', status });
      return;
    }
    const wait_ms = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] ?? 5000;
    this.failures += 1;
    this.parts.onStatus({ kind: 'reconnecting', retry_at_ms: Date.now() + wait_ms });
    this.retry = setTimeout(() => void this.reopen(), wait_ms);
  }

  private expectMore(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.onError(), SILENCE_MS);
  }

  private stop(): void {
    clearTimeout(this.retry);
    clearTimeout(this.silence);
    this.source?.close();
    this.source = undefined;
  }
}

function statusOf(error: unknown): number {
  return typeof error === 'object' && error !== null && 'status' in error
    ? Number(error.status)
    : 0;
}
