/** A model provider that speaks the wire protocol of chat completions, on this machine. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A body of `POST /chat/completions`. */
export interface ChatRequest {
  messages: { role: string; content: unknown; tool_calls?: unknown }[];
  stream?: boolean;
  temperature?: number;
  tools?: unknown[];
}

const USAGE = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** Asks for `delete_file` until a tool has answered, and then says what it said. */
export class Provider {
  readonly requests: ChatRequest[] = [];
  /** Pieces of the next streamed answer, each sent when it is there. */
  pieces: AsyncIterable<string> | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Provider> {
    const server = createServer();
    const provider = new Provider(server);
    server.on('request', async (request, response) => {
      const body = JSON.parse(await textOf(request)) as ChatRequest;
      provider.requests.push(body);
      const message = replyTo(body);
      if (body.stream !== true) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(completion({ message }, USAGE)));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      const { pieces } = provider;
      provider.pieces = undefined;
      for await (const delta of pieces === undefined ? deltasOf(message) : textDeltas(pieces)) {
        response.write(`data: ${JSON.stringify(completion({ delta }))}\n\n`);
      }
      response.write(`data: ${JSON.stringify(completion({ delta: {} }, USAGE))}\n\n`);
      response.end('data: [DONE]\n\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

interface Message {
  role: 'assistant';
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

function replyTo({ messages, tools }: ChatRequest): Message {
  const last = messages.at(-1);
  if (tools === undefined || last?.role === 'tool') {
    const said = last?.role === 'tool' ? `The tool said: ${last.content}` : 'Hello there';
    return { role: 'assistant', content: said };
  }
  const call = { name: 'delete_file', arguments: '{"path":"/tmp/a"}' };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: call }],
  };
}

function deltasOf({ content, tool_calls }: Message): object[] {
  if (tool_calls !== undefined) {
    return [{ role: 'assistant', tool_calls: tool_calls.map((call) => ({ ...call, index: 0 })) }];
  }
  return (content ?? '').split(/(?= )/).map((piece) => ({ role: 'assistant', content: piece }));
}

async function* textDeltas(pieces: AsyncIterable<string>): AsyncGenerator<object> {
  for await (const content of pieces) yield { role: 'assistant', content };
}

function completion(choice: { message?: Message; delta?: object }, usage?: object): object {
  const { message, delta } = choice;
  const isLast = message !== undefined || usage !== undefined;
  return {
    id: 'chatcmpl-1',
    object: delta === undefined ? 'chat.completion' : 'chat.completion.chunk',
    created: 1,
    model: 'local-1-2026',
    choices: [
      {
        index: 0,
        ...choice,
        finish_reason: !isLast ? null : message?.tool_calls ? 'tool_calls' : 'stop',
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}
