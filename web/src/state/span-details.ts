/** Cache of whole spans, fetched when shown. */
import type { Api } from '../api/client.ts';
import type { SpanDetail, SpanRow } from '../api/types.ts';
import { keyInSession, spanKey } from '../model/trace/span-key.ts';

export interface LoadedSpan {
  /** The response as text: its numbers may be more exact than JavaScript's. */
  readonly text: string;
  readonly detail: SpanDetail;
  /** The row at the time of the request. */
  readonly row: SpanRow;
}

const MAX_CACHED = 24;
/** Limit of a value; longer ones come truncated, see `SpanValues`. */
const MAX_VALUE_BYTES = 65_536;

export class SpanDetails {
  private readonly api: Api;
  private readonly cache = new Map<string, LoadedSpan>();

  constructor(api: Api) {
    this.api = api;
  }

  /** Cached span, perhaps an older version of it. */
  peek(sessionId: string, key: string): LoadedSpan | undefined {
    return this.cache.get(keyInSession(sessionId, key));
  }

  async load(sessionId: string, row: SpanRow, signal: AbortSignal): Promise<LoadedSpan> {
    const { trace_id, span_id } = row;
    const span = { session_id: sessionId, trace_id, span_id };
    const text = await this.api.spanText(span, signal, MAX_VALUE_BYTES);
    const loaded = { text, detail: JSON.parse(text) as SpanDetail, row };
    const key = keyInSession(sessionId, spanKey(row));
    this.cache.delete(key);
    this.cache.set(key, loaded);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= MAX_CACHED) break;
      this.cache.delete(oldest);
    }
    return loaded;
  }
}
