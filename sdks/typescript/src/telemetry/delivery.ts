/**
 * Delivery to the service: one bounded buffer, one sender.
 *
 * `put` only appends. A batch leaves 10 ms after its first item or at 128 items, 1 ms after an item
 * that follows silence, and larger batches when it is behind. While the service is away it keeps as
 * much as fits and tries again with growing pauses. The order stays, so a start never comes after
 * its end. No timer of it keeps the process alive.
 */

import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

import { info, warn } from '../log.js';
import type { Address } from '../service/address.js';
import { displayed } from '../service/address.js';
import { HttpClient, type Reply, unheld } from '../service/http.js';
import type { ExitPost } from './exit.js';
import type { ProcessIdentity } from './identity.js';
import { HEARTBEAT, type Item, type LiveRecord, now } from './items.js';
import { logsBody, tracesBody } from './otlp.js';

const FLUSH_AFTER_MS = 10;
const FIRST_FLUSH_MS = 1;
const MAX_BATCH_ITEMS = 128;
const MAX_REQUEST_ITEMS = 1_024;
const HEARTBEAT_MS = 5_000;
const LOST_AFTER_S = 12;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;
const TIMEOUT_MS = 10_000;

/** Bounds of the buffer; the defaults are those of `attach`. */
export interface Limits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

const LIMITS: Limits = { maxItems: 8_192, maxBytes: 64 * 2 ** 20 };

type Outcome = 'accepted' | 'away' | 'too_large' | 'refused';
type Signal = 'logs' | 'traces';

interface Entry {
  item: Item;
  readonly bytes: number;
  isTreated: boolean;
}

interface Flush {
  readonly untilBack: boolean;
  readonly end: (isSent: boolean) => void;
}

/** Buffers items and sends them to one service. */
export class Delivery {
  readonly name: string;
  readonly #client: HttpClient;
  readonly #identity: ProcessIdentity;
  readonly #treat: (item: Item) => Item;
  readonly #limits: Limits;
  readonly #unwanted = new Set<Signal>();
  #pending: Entry[] = [];
  #bytes = 0;
  #flushes: Flush[] = [];
  #timer: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #isSending = false;
  #isAway = false;
  #isClosed = false;
  #failures = 0;
  #retryAfterMs: number | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** Items that were lost: the buffer was full, or nobody takes them. */
  dropped = 0;

  /**
   * @param treat Applied to each item once, before it is sent; what it throws on is dropped.
   */
  constructor(
    address: Address,
    identity: ProcessIdentity,
    treat: (item: Item) => Item,
    limits: Limits = LIMITS,
  ) {
    this.name = displayed(address.url);
    this.#client = new HttpClient(address);
    this.#identity = identity;
    this.#treat = treat;
    this.#limits = limits;
  }

  /** Say that this process lives, every few seconds from now on. */
  start(): void {
    if (this.#beat !== undefined || this.#isClosed) return;
    this.#beat = unheld(setInterval(() => this.#heartbeat('alive'), HEARTBEAT_MS));
    this.#heartbeat('alive');
  }

  /** Add an item. Never blocks, never throws. The oldest goes when there are too many. */
  put(item: Item): void {
    if (this.#isClosed) return;
    const bytes = sizeOf(item);
    this.#pending.push({ item, bytes, isTreated: false });
    this.#bytes += bytes;
    const { maxItems, maxBytes } = this.#limits;
    while (this.#pending.length > maxItems || (this.#bytes > maxBytes && this.#pending.length)) {
      this.#dropOldest();
    }
    this.#schedule();
  }

  /**
   * Wait until all items so far are sent or refused; return false on timeout.
   *
   * @param untilBack Whether to wait for a service that is away.
   */
  flush(timeoutMs: number, untilBack = true): Promise<boolean> {
    if (this.#pending.length === 0 && !this.#isSending) return Promise.resolve(true);
    if (this.#isAway && !untilBack) return Promise.resolve(false);
    return new Promise((resolve) => {
      // This timer holds the process: somebody waits.
      const timer = setTimeout(() => end(false), timeoutMs);
      const end = (isSent: boolean) => {
        clearTimeout(timer);
        this.#flushes = this.#flushes.filter((one) => one !== flush);
        resolve(isSent);
      };
      const flush: Flush = { untilBack, end };
      this.#flushes.push(flush);
      this.#sendIn(0);
    });
  }

  /** Send the rest and a last heartbeat, for at most `timeoutMs`. Idempotent. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#isClosed) return;
    await this.sayGoodbye(timeoutMs);
    this.#end();
  }

  /** Send the rest and a last heartbeat; what comes later is sent as well. */
  async sayGoodbye(timeoutMs: number): Promise<void> {
    if (this.#beat === undefined && this.#pending.length === 0) return;
    this.#stopBeat();
    this.#heartbeat('exiting');
    await this.flush(timeoutMs, false);
  }

  /** Return what is left to send when the process ends at once; nothing more is sent otherwise. */
  rest(): ExitPost[] {
    if (this.#isClosed || (this.#beat === undefined && this.#pending.length === 0)) return [];
    if (this.#isAway) {
      this.#end();
      return [];
    }
    if (this.#beat !== undefined) this.#heartbeat('exiting');
    const items = this.#treated(this.#pending.length);
    this.#pending = [];
    this.#end();
    const { records, spans } = parts(items);
    const posts: ExitPost[] = [];
    if (records.length) posts.push({ path: '/v1/logs', body: logsBody(records, this.#identity) });
    if (spans.length) posts.push({ path: '/v1/traces', body: tracesBody(spans, this.#identity) });
    return posts;
  }

  #end(): void {
    this.#isClosed = true;
    this.#stopBeat();
    clearTimeout(this.#timer);
    const lost = this.#pending.length + this.dropped;
    if (lost > 0) warn('lost', `${lost} records were lost on the way to ${this.name}.`);
    this.#pending = [];
    for (const flush of this.#flushes) flush.end(false);
    this.#client.close();
  }

  #stopBeat(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  #heartbeat(state: 'alive' | 'exiting'): void {
    if (this.#isAway) return; // it would be stale
    const attributes = {
      'inspector.process.state': state,
      'inspector.process.lost_after_s': LOST_AFTER_S,
    };
    const { resource } = this.#identity;
    this.put({
      record: { name: HEARTBEAT, time: now(), spanContext: undefined, attributes, resource },
    });
  }

  #dropOldest(): void {
    if (this.dropped === 0) {
      warn(
        'full',
        `${this.name} accepts nothing and the buffer is full: dropping the oldest records.`,
      );
    }
    this.#bytes -= this.#pending.shift()?.bytes ?? 0;
    this.dropped += 1;
  }

  // --- sending --------------------------------------------------------------------------------

  #schedule(): void {
    if (this.#isSending || this.#isAway) return;
    if (this.#pending.length >= MAX_BATCH_ITEMS) this.#sendIn(0);
    else if (this.#timer === undefined) {
      const isFirst = performance.now() - this.#sentAt > FLUSH_AFTER_MS;
      this.#sendIn(isFirst ? FIRST_FLUSH_MS : FLUSH_AFTER_MS);
    }
  }

  #sendIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = unheld(setTimeout(() => void this.#send(), delayMs));
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    if (this.#isSending || this.#isClosed) return;
    this.#isSending = true;
    try {
      while (this.#pending.length > 0 && !this.#isClosed) {
        if ((await this.#sendBatch()) === 'away') break;
      }
    } catch (error) {
      warn('delivery', `Cannot send telemetry: ${error}`);
      this.#drop(Math.min(this.#pending.length, MAX_REQUEST_ITEMS));
    } finally {
      this.#isSending = false;
      this.#sentAt = performance.now();
      const isSent = this.#pending.length === 0;
      for (const flush of [...this.#flushes]) {
        if (isSent || (this.#isAway && !flush.untilBack)) flush.end(isSent);
      }
      if (!isSent && !this.#isClosed) this.#sendIn(this.#isAway ? this.#pauseMs() : 0);
    }
  }

  async #sendBatch(): Promise<Outcome> {
    const items = this.#treated(MAX_REQUEST_ITEMS);
    const { records, spans } = parts(items);
    // An end must not overtake its start.
    let outcome = await this.#sendPart('logs', records, logsBody);
    if (outcome !== 'away') outcome = await this.#sendPart('traces', spans, tracesBody);
    if (outcome === 'away') {
      if (!this.#isAway)
        info(`${this.name} is unreachable; telemetry is buffered until it is back.`);
      this.#isAway = true;
      return 'away';
    }
    if (this.#isAway) info(`${this.name} is back.`);
    this.#isAway = false;
    this.#failures = 0;
    this.#remove(new Set(items));
    return outcome;
  }

  /** Treat the oldest items, each once; return them. */
  #treated(count: number): Item[] {
    const kept: Entry[] = [];
    for (const entry of this.#pending.slice(0, count)) {
      try {
        if (!entry.isTreated) entry.item = this.#treat(entry.item);
        entry.isTreated = true;
        kept.push(entry);
      } catch {
        this.dropped += 1; // never send it as it is
        this.#bytes -= entry.bytes;
      }
    }
    this.#pending.splice(0, count, ...kept);
    return kept.map(({ item }) => item);
  }

  /** Remove items that were sent or refused; some may have been dropped meanwhile. */
  #remove(items: ReadonlySet<Item>): void {
    this.#pending = this.#pending.filter(({ item, bytes }) => {
      if (!items.has(item)) return true;
      this.#bytes -= bytes;
      return false;
    });
  }

  #drop(count: number): void {
    for (const { bytes } of this.#pending.splice(0, count)) this.#bytes -= bytes;
    this.dropped += count;
  }

  /** Send, in halves until an item that is too large is alone; it is dropped. */
  async #sendPart<T>(
    signal: Signal,
    items: readonly T[],
    bodyOf: (items: readonly T[], identity: ProcessIdentity) => string,
  ): Promise<Outcome> {
    if (items.length === 0 || this.#unwanted.has(signal)) return 'accepted';
    const outcome = await this.#post(signal, bodyOf(items, this.#identity));
    if (outcome === 'too_large' && items.length > 1) {
      const middle = Math.floor(items.length / 2);
      const first = await this.#sendPart(signal, items.slice(0, middle), bodyOf);
      return first === 'away' ? first : this.#sendPart(signal, items.slice(middle), bodyOf);
    }
    if (outcome === 'too_large' || outcome === 'refused') this.dropped += items.length;
    return outcome;
  }

  async #post(signal: Signal, body: string): Promise<Outcome> {
    let reply: Reply;
    try {
      reply = await this.#client.request('POST', `/v1/${signal}`, body, TIMEOUT_MS);
    } catch {
      this.#retryAfterMs = undefined;
      return 'away';
    }
    const { status } = reply;
    if (status >= 200 && status < 300) return 'accepted';
    if ([404, 405, 501].includes(status)) {
      this.#unwanted.add(signal);
      info(`${this.name} does not accept OTLP ${signal}; sending none.`);
      return 'accepted';
    }
    if ([429, 500, 502, 503, 504].includes(status)) {
      this.#retryAfterMs = reply.retryAfterMs;
      return 'away';
    }
    if (status === 413) return 'too_large';
    const advice = [401, 403].includes(status)
      ? 'check INSPECTOR_TOKEN'
      : 'is it an Inspector service?';
    warn('refused', `${this.name} rejected telemetry with HTTP ${status}: ${advice}.`);
    return 'refused';
  }

  #pauseMs(): number {
    const growing = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures = Math.min(this.#failures + 1, 16);
    const pause = Math.min(this.#retryAfterMs ?? growing, LONGEST_RETRY_MS);
    return pause * (0.8 + 0.4 * Math.random());
  }
}

function parts(items: readonly Item[]): { records: LiveRecord[]; spans: ReadableSpan[] } {
  const spans = items.flatMap(({ span }) => (span ? [span] : []));
  const ended = new Set(spans.map((span) => span.spanContext().spanId));
  const records = items.flatMap(({ record }) =>
    record && !(record.span && ended.has(record.spanContext?.spanId ?? '')) ? [record] : [],
  );
  return { records, spans };
}

/** Estimate the memory of an item. */
function sizeOf(item: Item): number {
  const { attributes } = item.record ?? item.span;
  let bytes = 512;
  for (const key in attributes) {
    const value = attributes[key];
    bytes += key.length + (typeof value === 'string' ? value.length : 16);
  }
  return bytes;
}
