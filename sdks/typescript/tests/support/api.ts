/** What the browser asks the service for, over the same routes. */

import { inject } from 'vitest';

export type Json = Record<string, unknown>;

export interface Request extends Json {
  id: string;
  session_id: string;
  kind: string;
  status: string;
  tool_name: string | null;
  prompt: string;
  args_json: string | null;
  args_text: string | null;
  args_hash: string | null;
  answer: { applied: boolean | null; applied_reason: string | null } | null;
}

export interface Row extends Json {
  trace_id: string;
  span_id: string;
  name: string;
  status: string;
  kind: string;
}

/** A client of a service. */
export class Api {
  constructor(
    readonly url: string = inject('url'),
    readonly token: string = inject('token'),
  ) {}

  async get<T = Json>(path: string): Promise<T> {
    const reply = await this.#fetch('GET', path);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  }

  async post(path: string, body: object = {}): Promise<{ status: number; body: Json }> {
    const reply = await this.#fetch('POST', path, body);
    return { status: reply.status, body: (await reply.json()) as Json };
  }

  /** Return the pending request about `toolName`, as soon as there is one. */
  request(toolName: string): Promise<Request> {
    return until(async () => {
      const { requests } = await this.get<{ requests: Request[] }>('/requests?status=pending');
      return requests.find((one) => one.tool_name === toolName || one.prompt === toolName);
    });
  }

  /** Answer a request as the page does. */
  answer(request: Request, answer: Json): Promise<{ status: number; body: Json }> {
    return this.post(`/requests/${request.id}`, { args_hash: request.args_hash, ...answer });
  }

  /** Return the rows of a session once they satisfy `isThere`. */
  rows(session: string, isThere: (rows: Row[]) => boolean): Promise<Row[]> {
    return until(async () => {
      const reply = await this.#fetch('GET', `/sessions/${session}/spans`);
      if (!reply.ok) return undefined;
      const { spans } = (await reply.json()) as { spans: Row[] };
      return isThere(spans) ? spans : undefined;
    });
  }

  /** Return everything about a span. */
  span(row: Row): Promise<Json & { attributes: Json; view: Json; events: Json[] }> {
    return this.get(`/spans/${row.trace_id}/${row.span_id}`);
  }

  #fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        'inspector-actor': 'Ada',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

/** Return what `find` finds, trying again until it does; the test's own time is the limit. */
export async function until<T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
