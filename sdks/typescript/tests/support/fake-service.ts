/** The other end of the channel, as a test wants it: slow to believe, forgetful, or hostile. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { until } from './api.js';

export interface Sent {
  type: string;
  id: string;
  seq?: number;
  applied?: boolean;
  reason?: string | null;
  request?: { id: string };
  request_id?: string;
}

/** Takes everything, unless `replyTo` says otherwise. */
export class FakeService {
  hellos = 0;
  /** All messages, in their order, also those that were not taken. */
  readonly messages: Sent[] = [];
  /** Returns a status other than 200 for a batch of messages. */
  replyTo: (batch: readonly Sent[]) => number = () => 200;
  readonly #server: Server;
  #stream: ServerResponse | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeService> {
    const server = createServer();
    const service = new FakeService(server);
    server.on('request', (request, response) => void service.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Send the data of one event, once somebody listens. */
  async send(data: string): Promise<void> {
    const stream = await until(() => this.#stream);
    stream.write(`data: ${data}\n\n`);
  }

  /** Return the ack of a command. */
  ack(seq: number): Promise<Sent> {
    return until(() => this.messages.find((one) => one.type === 'ack' && one.seq === seq));
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': commands\n\n');
      this.#stream = response;
      return;
    }
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    if (request.method === 'PUT') {
      this.hellos += 1;
      response.end(JSON.stringify({ heartbeat_s: 0.2, lost_after_s: 0.3, now_ns: '1' }));
      return;
    }
    const { messages } = JSON.parse(text) as { messages: Sent[] };
    this.messages.push(...messages);
    response.statusCode = this.replyTo(messages);
    response.end(JSON.stringify({ received: messages.map(({ id }) => id) }));
  }
}

/** Return a command as the service writes it. */
export function command(seq: number, more: object): string {
  return JSON.stringify({
    seq,
    type: 'pause',
    session_id: 's',
    trace_ids: [],
    answer: null,
    signal_name: null,
    payload_json: null,
    reason: null,
    actor: 'Ada',
    origin: 'api',
    issued_at: '2026-01-01T00:00:00Z',
    ...more,
  });
}
