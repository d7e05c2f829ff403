/**
 * The channel to the service: it says hello, reports, and follows the commands (`docs/formats.md`).
 *
 * Whenever the service may have lost something (it was away, or does not know this process), it
 * says hello and opens all open requests again, and the service sends unacknowledged commands
 * again. Both ends ignore repeats. Nothing of it keeps the process alive.
 */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { info, warn } from '../log.js';
import { type Address, displayed } from '../service/address.js';
import { EventSplitter, TooLongError } from '../service/event-stream.js';
import { HttpClient, type Reply, unheld } from '../service/http.js';
import type { ExitPost } from '../telemetry/exit.js';
import type { Command, Outcome } from './protocol.js';
import {
  identityOf,
  MalformedCommandError,
  type Message,
  readCommand,
  sendableReason,
} from './protocol.js';
import type { RequestTable } from './request-table.js';

const TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
const UNKNOWN_RETRY_MS = 30_000;
const SILENT_BEATS = 3;
const MAX_HOLD_INTERVALS = 5;
const MAX_BATCH = 1_000;
const MAX_BATCH_CHARS = 4 * 2 ** 20;
const MAX_ACKS = 2_000;
const MAX_REMEMBERED = 4_096;
const GOODBYE_MS = 500;
const REFUSED = [400, 413, 422];
const NO_SUCH_ROUTE = [404, 405, 501];

/** What the channel needs of the rest. */
export interface Ends {
  /** Returns the present address of the service; called before each hello. */
  readonly find: () => Address | undefined;
  readonly process: () => { readonly id: string; readonly service: string };
  readonly requests: RequestTable;
  readonly handle: (command: Command) => Outcome;
  /** Called when the service has been away for long. */
  readonly onLongAway: (why: string) => void;
}

/** From one hello to the next. */
interface Connection {
  readonly client: HttpClient;
  readonly path: string;
  readonly heartbeatMs: number;
  readonly lostAfterMs: number;
  readonly over: AbortController;
  lastSeq: number;
  acks: Message[];
  nextBeat: number;
}

/** Sends reports and receives commands. */
export class Channel {
  readonly #ends: Ends;
  readonly #handled = new Map<string, Outcome>();
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isSending = false;
  #hasNews = false;
  #isClosed = false;
  #failures = 0;
  #pauseMs = 0;
  #aliveAt = performance.now();
  #lostAfterMs = 12_000;

  constructor(ends: Ends) {
    this.#ends = ends;
    ends.requests.onChange = () => this.wake();
  }

  /** Say hello, and go on from there; does nothing if it was called before. */
  start(): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    this.#workIn(0);
  }

  /** Send news soon. Never throws. */
  wake(): void {
    this.start();
    this.#hasNews = true;
    if (!this.#isSending && this.#connection !== undefined) this.#workIn(0);
  }

  /** Send the last acks and endings, and a goodbye; what comes later begins with hello. */
  async sayGoodbye(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    clearTimeout(this.#timer);
    this.#isStarted = false;
    const messages = this.#lastWords(connection);
    this.#end(connection);
    try {
      await connection.client.request(
        'POST',
        `${connection.path}/messages`,
        JSON.stringify({ messages }),
        GOODBYE_MS,
      );
    } catch {
      // it is away: it will know by our silence
    }
    connection.client.close();
  }

  /** Send a goodbye, and be silent from then on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.sayGoodbye();
  }

  /** Return what is left to send when the process ends at once. */
  rest(): ExitPost[] {
    const connection = this.#connection;
    if (connection === undefined) return [];
    const body = JSON.stringify({ messages: this.#lastWords(connection) });
    return [{ path: `${connection.path}/messages`, body }];
  }

  #lastWords(connection: Connection): Message[] {
    const pending = new Set(this.#ends.requests.pending().map(({ id }) => id));
    const isOver = (message: Message) =>
      message.type === 'request_closed' ||
      (message.type === 'request_opened' && !pending.has((message.request as { id: string }).id));
    const reports = this.#ends.requests.unconfirmed().filter(isOver);
    const goodbye: Message = { type: 'goodbye', id: randomUUID() };
    return [...connection.acks, ...reports].slice(0, MAX_BATCH - 1).concat(goodbye);
  }

  // --- reports --------------------------------------------------------------------------------

  #workIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = unheld(setTimeout(() => void this.#work(), delayMs));
  }

  async #work(): Promise<void> {
    if (this.#isSending || this.#isClosed || !this.#isStarted) return;
    this.#isSending = true;
    let isWell = false;
    try {
      isWell = await this.#send();
    } catch (error) {
      warn('channel', `The control channel failed; it restarts (${error}).`);
      this.#end(this.#connection);
    } finally {
      this.#isSending = false;
    }
    const awayMs = performance.now() - this.#aliveAt;
    if (awayMs >= MAX_HOLD_INTERVALS * this.#lostAfterMs) {
      this.#ends.onLongAway(
        `the Inspector service has been unreachable for ${Math.round(awayMs / 1_000)} s`,
      );
    }
    if (this.#isClosed || !this.#isStarted) return;
    if (isWell) {
      this.#failures = 0;
      const nextBeat = this.#connection?.nextBeat ?? 0;
      this.#workIn(this.#hasNews ? 0 : Math.max(nextBeat - performance.now(), 0));
    } else {
      this.#workIn(Math.max(this.#pauseMs, retryPause(this.#failures)));
      this.#failures = Math.min(this.#failures + 1, 16);
    }
  }

  /** Send all news; return whether the service took them. */
  async #send(): Promise<boolean> {
    this.#pauseMs = 0;
    const connection = this.#connection ?? (await this.#hello());
    if (connection === undefined) return false;
    this.#hasNews = false;
    const outbox: Message[] = [...connection.acks, ...this.#ends.requests.unconfirmed()];
    if (performance.now() >= connection.nextBeat) {
      connection.nextBeat = performance.now() + connection.heartbeatMs;
      outbox.push({ type: 'heartbeat', id: randomUUID() });
    }
    const received = new Set<string>();
    for (const batch of batches(outbox)) {
      const accepted = await this.#post(connection, batch);
      if (accepted === undefined) {
        this.#end(connection);
        return false;
      }
      for (const id of accepted) received.add(id);
      connection.acks = connection.acks.filter(({ id }) => !received.has(id));
      this.#ends.requests.confirm(received);
    }
    return !connection.over.signal.aborted;
  }

  async #hello(): Promise<Connection | undefined> {
    const address = this.#ends.find();
    if (address === undefined) return undefined;
    const client = new HttpClient(address);
    const { id, service } = this.#ends.process();
    const path = `/processes/${encodeURIComponent(id)}`;
    const hello = { name: service.slice(0, 200), pid: process.pid, host: hostname().slice(0, 255) };
    const reply = await this.#request(client, 'PUT', path, hello);
    if (reply === undefined || !this.#isFine(client, reply)) {
      client.close();
      return undefined;
    }
    const fields = reply.fields();
    const connection: Connection = {
      client,
      path,
      heartbeatMs: milliseconds(fields['heartbeat_s'], 5, 60),
      lostAfterMs: milliseconds(fields['lost_after_s'], 12, 600),
      over: new AbortController(),
      lastSeq: 0,
      acks: [],
      nextBeat: 0,
    };
    this.#lostAfterMs = connection.lostAfterMs;
    this.#connection = connection;
    this.#ends.requests.reportAgain();
    void this.#receive(connection);
    return connection;
  }

  /** Return the ids that need no other try; undefined if the connection is over. */
  async #post(connection: Connection, batch: Message[]): Promise<string[] | undefined> {
    const body = { messages: batch };
    const { client, path } = connection;
    const reply = await this.#request(client, 'POST', `${path}/messages`, body);
    if (reply === undefined) return undefined;
    if (REFUSED.includes(reply.status)) return this.#postHalves(connection, batch, reply);
    if (reply.status === 404 || !this.#isFine(client, reply)) return undefined;
    const { received } = reply.fields();
    return Array.isArray(received) ? received.filter((id) => typeof id === 'string') : [];
  }

  /** Find the message that is refused by halving the batch, so that the others arrive. */
  async #postHalves(
    connection: Connection,
    batch: Message[],
    reply: Reply,
  ): Promise<string[] | undefined> {
    const [only] = batch;
    if (only !== undefined && batch.length === 1) {
      // It will never be accepted; a request then ends by its default.
      const code = String(reply.fields()['code'] ?? reply.status).slice(0, 100);
      warn('message', `The Inspector service rejected a ${only.type}: ${code}.`);
      return [only.id];
    }
    const middle = Math.floor(batch.length / 2);
    const some = await this.#post(connection, batch.slice(0, middle));
    const others = some && (await this.#post(connection, batch.slice(middle)));
    return others && [...some, ...others];
  }

  async #request(
    client: HttpClient,
    method: string,
    path: string,
    body: object,
  ): Promise<Reply | undefined> {
    try {
      const reply = await client.request(method, path, JSON.stringify(body), TIMEOUT_MS);
      if (reply.status < 300) this.#aliveAt = performance.now();
      return reply;
    } catch {
      return undefined; // away
    }
  }

  /** Return whether the reply is a success; say what only a person can mend. */
  #isFine({ address }: HttpClient, { status }: Reply): boolean {
    if (status >= 200 && status < 300) return true;
    const name = displayed(address.url);
    if ([401, 403].includes(status)) {
      warn(
        'token',
        `${name} rejected the token (${status}): this agent cannot be controlled from there. ` +
          'Set INSPECTOR_TOKEN to the output of `inspector token`.',
      );
    } else if (NO_SUCH_ROUTE.includes(status)) {
      info(`${name} does not support control: not an Inspector service, or an old version.`);
      this.#pauseMs = UNKNOWN_RETRY_MS;
    } else if (status >= 300 && status < 400) {
      warn(
        'redirect',
        `${name} redirects (${status}); redirects are not followed, to protect the token. ` +
          'Set INSPECTOR_URL to the final address.',
      );
    }
    return false;
  }

  #end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    connection.over.abort();
    if (this.#connection === connection) this.#connection = undefined;
  }

  // --- commands -------------------------------------------------------------------------------

  /** Follow the commands until the connection is over. */
  async #receive(connection: Connection): Promise<void> {
    const { signal } = connection.over;
    for (let failures = 0; !signal.aborted; failures++) {
      const began = performance.now();
      try {
        await this.#follow(connection);
      } catch {
        // The stream broke off; another one takes it up.
      }
      // If a stream ends at once, another process of this name may take it over.
      if (performance.now() - began > connection.heartbeatMs) failures = 0;
      await new Promise((resolve) => unheld(setTimeout(resolve, retryPause(failures))));
    }
  }

  async #follow(connection: Connection): Promise<void> {
    const events = new EventSplitter();
    const limits = {
      timeoutMs: TIMEOUT_MS,
      silenceMs: SILENT_BEATS * connection.heartbeatMs,
      signal: connection.over.signal,
    };
    const path = `${connection.path}/commands?after=${connection.lastSeq}`;
    const status = await connection.client.follow(path, limits, (piece) => {
      this.#aliveAt = performance.now();
      try {
        for (const data of events.feed(piece)) this.#execute(connection, data);
      } catch (error) {
        if (!(error instanceof TooLongError)) throw error;
        warn('stream', 'A command was too long and was ignored.');
      }
    });
    if (status === 404) {
      this.#end(connection); // it has forgotten us
      this.#workIn(0);
    }
  }

  #execute(connection: Connection, data: string): void {
    let seq: number;
    let outcome: Outcome;
    try {
      const command = readCommand(data);
      seq = command.seq;
      outcome = this.#once(command);
    } catch (error) {
      warn('command', `The Inspector service sent an invalid command: ${error}`);
      if (!(error instanceof MalformedCommandError) || error.seq === undefined) return;
      seq = error.seq;
      outcome = { applied: false, reason: `malformed: ${error.message}` };
    }
    connection.lastSeq = Math.max(connection.lastSeq, seq);
    const reason = sendableReason(outcome.reason);
    const { applied } = outcome;
    connection.acks.push({ type: 'ack', id: randomUUID(), seq, applied, reason });
    if (connection.acks.length > MAX_ACKS) connection.acks.shift(); // its command comes again
    this.wake();
  }

  /** Carry out a command, or return the earlier outcome of one that came twice. */
  #once(command: Command): Outcome {
    const key = identityOf(command);
    let outcome = this.#handled.get(key);
    if (outcome === undefined) {
      try {
        outcome = this.#ends.handle(command);
      } catch (error) {
        const name = error instanceof Error ? error.name : typeof error;
        outcome = { applied: false, reason: `the agent failed to apply it (${name})` };
      }
      this.#handled.set(key, outcome);
      const [oldest] = this.#handled.keys();
      if (this.#handled.size > MAX_REMEMBERED && oldest !== undefined) this.#handled.delete(oldest);
    }
    return outcome;
  }
}

/** Return a random pause after so many failures, so that agents do not come in step. */
function retryPause(failures: number): number {
  const longest = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 16), LAST_RETRY_MS);
  return longest * (0.6 + 0.4 * Math.random());
}

/** Yield batches that fit into one request, in order; a message that is too long goes alone. */
function* batches(outbox: readonly Message[]): Generator<Message[]> {
  let batch: Message[] = [];
  let chars = 0;
  for (const message of outbox) {
    const size = JSON.stringify(message).length;
    if (batch.length > 0 && (batch.length >= MAX_BATCH || chars + size > MAX_BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(message);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

function milliseconds(seconds: unknown, otherwise: number, most: number): number {
  const isUsable = typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds);
  return Math.max(Math.min(isUsable ? seconds : otherwise, most), 0.2) * 1_000;
}
