/**
 * HTTP to an untrusted service: one attempt, no redirects, no proxy, bounded size and time.
 *
 * No socket keeps the process alive: who has to wait for an answer holds a timer.
 */

import * as http from 'node:http';
import * as https from 'node:https';

import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';

import type { Address } from './address.js';

// The key of OpenTelemetry's SDK: what instruments HTTP must not tell of our requests, each of
// which would be another thing to tell.
const UNTRACED = ROOT_CONTEXT.setValue(
  createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'),
  true,
);
const MAX_REPLY_BYTES = 1024 * 1024;
const USER_AGENT = 'inspector-agent-js';

/** The service did not answer in HTTP; try again later. */
export class AwayError extends Error {
  override readonly name = 'AwayError';
}

/** A reply, whatever its status. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: string,
    readonly retryAfterMs: number | undefined,
  ) {}

  /** Return the JSON object in the body; an empty one if it has none. */
  fields(): Record<string, unknown> {
    try {
      const found: unknown = JSON.parse(this.body);
      return typeof found === 'object' && found !== null && !Array.isArray(found)
        ? (found as Record<string, unknown>)
        : {};
    } catch {
      return {};
    }
  }
}

/** Client of one address. */
export class HttpClient {
  readonly #agent: http.Agent | https.Agent;
  readonly #module: typeof http | typeof https;

  constructor(readonly address: Address) {
    this.#module = address.url.startsWith('https:') ? https : http;
    this.#agent = new this.#module.Agent({ keepAlive: true, maxSockets: 4 });
  }

  /**
   * Send `body` as JSON; return the reply, due within `timeoutMs`.
   *
   * @throws AwayError There is none in time.
   */
  async request(method: string, path: string, body: string, timeoutMs: number): Promise<Reply> {
    for (let isAgain = false; ; isAgain = true) {
      let sending: http.ClientRequest | undefined;
      try {
        sending = this.#open(method, path, { 'content-type': 'application/json' });
        sending.end(body);
        return await replyOf(sending, timeoutMs);
      } catch (error) {
        // The service had closed the kept connection before it read anything.
        const isStale = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (isAgain || !sending?.reusedSocket || !isStale) throw away(error);
      }
    }
  }

  /**
   * Hand the pieces of an event stream to `onPiece`, until it ends; return its status.
   *
   * A status that is not 200 has no pieces. `signal` ends the stream.
   *
   * @throws AwayError There is no answer within `timeoutMs`, or none for `silenceMs`.
   */
  follow(
    path: string,
    limits: { timeoutMs: number; silenceMs: number; signal: AbortSignal },
    onPiece: (piece: string) => void,
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const sending = this.#open('GET', path, { accept: 'text/event-stream' });
      const timer = unheld(
        setTimeout(() => end(new AwayError('timed out: no data')), limits.timeoutMs),
      );
      const onAbort = () => end(new AwayError('the stream was closed'));
      const end = (error?: unknown, status = 0) => {
        clearTimeout(timer);
        limits.signal.removeEventListener('abort', onAbort);
        sending.destroy();
        if (error === undefined) resolve(status);
        else reject(away(error));
      };
      limits.signal.addEventListener('abort', onAbort);
      if (limits.signal.aborted) onAbort();
      sending.on('error', end);
      sending.on('response', (response) => {
        const status = response.statusCode ?? 0;
        const kind = response.headers['content-type'] ?? '';
        if (status !== 200 || !kind.startsWith('text/event-stream')) {
          end(undefined, status === 200 ? 415 : status);
          return;
        }
        const silence = unheld(
          setInterval(() => end(new AwayError('timed out: no data')), limits.silenceMs),
        );
        clearTimeout(timer);
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          silence.refresh();
          onPiece(piece);
        });
        response.on('close', () => {
          clearInterval(silence);
          end(undefined, status);
        });
        response.on('error', end);
      });
      sending.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, headers: Record<string, string>): http.ClientRequest {
    const base = new URL(this.address.url);
    const { token } = this.address;
    const options = {
      method,
      agent: this.#agent,
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      path: base.pathname.replace(/\/$/, '') + path,
      headers: {
        'user-agent': USER_AGENT,
        ...headers,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
    };
    const sending = context.with(UNTRACED, () => this.#module.request(options));
    sending.on('socket', (socket) => socket.unref());
    return sending;
  }
}

/** Let `timer` not keep the process alive. */
export function unheld<T extends NodeJS.Timeout>(timer: T): T {
  timer.unref();
  return timer;
}

function replyOf(sending: http.ClientRequest, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const timer = unheld(setTimeout(() => sending.destroy(new AwayError('timed out')), timeoutMs));
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(error);
    };
    sending.on('error', fail);
    sending.on('response', (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('error', fail);
      response.on('aborted', () => fail(new AwayError('the connection was interrupted')));
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > MAX_REPLY_BYTES) sending.destroy(new AwayError('the response is too long'));
        else pieces.push(piece);
      });
      response.on('end', () => {
        clearTimeout(timer);
        const wanted = Number(response.headers['retry-after'] ?? Number.NaN);
        const retryAfterMs = wanted >= 0 ? wanted * 1_000 : undefined;
        resolve(
          new Reply(response.statusCode ?? 0, Buffer.concat(pieces).toString('utf8'), retryAfterMs),
        );
      });
    });
  });
}

function away(error: unknown): AwayError {
  if (error instanceof AwayError) return error;
  return new AwayError(error instanceof Error ? error.message : String(error), { cause: error });
}
