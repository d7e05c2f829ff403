/** Cache of whole spans, fetched when they are looked at. */
import type { Api } from '../api/client.ts';
import type { SpanDetail, SpanRow } from '../api/types.ts';
import { spanKey } from '../model/trace/span-key.ts';

export interface LoadedSpan {
  /** The answer as text: numbers in it may be more exact than JavaScript's. */
  readonly text: string;
  readonly detail: SpanDetail;
  /** The row as it was when this was asked for. */
  readonly row: SpanRow;
}

const MAX_CACHED = 24;
/** Of longer values only the beginning comes with the span: see `SpanValues`. */
const MAX_VALUE_BYTES = 65_536;

export class SpanDetails {
  private readonly api: Api;
  private readonly cache = new Map<string, LoadedSpan>();

  constructor(api: Api) {
    this.api = api;
  }

  /** Cached span, perhaps an older version of it. */
  peek(key: string): LoadedSpan | undefined {
    return this.cache.get(key);
  }

  async load(row: SpanRow, signal: AbortSignal): Promise<LoadedSpan> {
    const text = await this.api.spanText(row.trace_id, row.span_id, signal, MAX_VALUE_BYTES);
    const loaded = { text, detail: JSON.parse(text) as SpanDetail, row };
    const key = spanKey(row);
    this.cache.delete(key);
    this.cache.set(key, loaded);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= MAX_CACHED) break;
      this.cache.delete(oldest);
    }
    return loaded;
  }
}
