/** Cache of long values of spans, fetched one by one when shown. */
import type { Api, SpanId } from '../api/client.ts';
import type { Clamped } from '../api/types.ts';
import { keyInSession, spanKey } from '../model/trace/span-key.ts';

/** Limit of all cached characters; the newest value is kept at any length. */
const MAX_CACHED = 32 * 1024 * 1024;

export class SpanValues {
  private readonly api: Api;
  private readonly cache = new Map<string, string>();
  private size = 0;

  constructor(api: Api) {
    this.api = api;
  }

  peek(span: SpanId, cut: Clamped): string | undefined {
    return this.cache.get(keyOf(span, cut));
  }

  async load(
    span: SpanId,
    cut: Clamped,
    reading: { signal: AbortSignal; onProgress: (done_bytes: number) => void },
  ): Promise<string> {
    const text = await this.api.spanValue(span, cut.pointer, reading);
    this.keep(keyOf(span, cut), text);
    return text;
  }

  private keep(key: string, text: string): void {
    this.forget(key);
    this.cache.set(key, text);
    this.size += text.length;
    for (const oldest of this.cache.keys()) {
      if (this.size <= MAX_CACHED || oldest === key) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.size -= this.cache.get(key)?.length ?? 0;
    this.cache.delete(key);
  }
}

/** Key with the size: a value that grew while its span runs is another one. */
function keyOf(span: SpanId, { pointer, size_bytes }: Clamped): string {
  return `${keyInSession(span.session_id ?? '', spanKey(span))} ${size_bytes} ${pointer}`;
}
