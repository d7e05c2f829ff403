/** A streamed answer while it runs: its text so far, without secrets, and when its chunks came. */

import type { Attributes } from '@opentelemetry/api';

import { unheld } from '../service/http.js';
import type { ContentWriter } from './content.js';

const SOON_MS = 250;
const MAX_SHOWN_CHARS = 4_096;
const MAX_KEPT_CHARS = 65_536;
// What no rule recognises yet has neither spaces nor quotes: `://user:password`, or `key=`.
const UNFINISHED = /(?:[:=][^\s:="']{0,4}|[!#-&(-;=?-~]+)$/;
const MAX_UNFINISHED_CHARS = 1_300;
const UNFINISHED_OWN_CHARS = 128;

/**
 * Collects the chunks of one answer, and reports them at most four times a second.
 *
 * A secret may come in two chunks. So what came is joined and redacted as a whole before its
 * beginning is cut off, and its end is left out while it may be the beginning of a secret.
 */
export class StreamedAnswer {
  readonly #content: ContentWriter;
  readonly #report: (attributes: Attributes) => void;
  readonly #beganMs: number;
  #text = '';
  #chars = 0;
  #count = 0;
  #firstMs: number | undefined;
  #lastMs = 0;
  #stallMs = 0;
  #stallAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param beganMs When its span began, by `performance.now()`.
   * @param report Sends attributes of the running span.
   */
  constructor(content: ContentWriter, beganMs: number, report: (attributes: Attributes) => void) {
    this.#content = content;
    this.#beganMs = beganMs;
    this.#report = report;
  }

  /** Add a chunk; its text may be empty. */
  add(text: string): void {
    const now = performance.now() - this.#beganMs;
    if (this.#firstMs !== undefined && now - this.#lastMs > this.#stallMs) {
      this.#stallMs = now - this.#lastMs;
      this.#stallAtMs = this.#lastMs;
    }
    this.#firstMs ??= now;
    this.#lastMs = now;
    this.#count += 1;
    this.#chars += text.length;
    const isKept = this.#content.capture !== 'off' && this.#chars <= MAX_KEPT_CHARS;
    if (isKept) this.#text += text;
    this.#timer ??= unheld(setTimeout(() => this.#send(), SOON_MS));
  }

  /** Report no more; return what the ended span says of the chunks. */
  end(): Attributes {
    clearTimeout(this.#timer);
    if (this.#firstMs === undefined) return {};
    return {
      'gen_ai.response.time_to_first_chunk': this.#firstMs / 1_000,
      'inspector.stream.chunk_count': this.#count,
      'inspector.stream.longest_stall_s': this.#stallMs / 1_000,
      'inspector.stream.longest_stall_at_s': this.#stallAtMs / 1_000,
    };
  }

  #send(): void {
    this.#timer = undefined;
    const lastChunk = { 'inspector.stream.last_chunk_s': this.#lastMs / 1_000 };
    const isShown = this.#content.capture !== 'off' && this.#chars > 0;
    this.#report(
      isShown
        ? {
            ...lastChunk,
            'inspector.stream.text': this.#shown(),
            'inspector.stream.chars': this.#chars,
          }
        : lastChunk,
    );
  }

  #shown(): string {
    const { capture, redactor } = this.#content;
    if (capture === 'full') return this.#text.slice(-MAX_SHOWN_CHARS);
    const clean = redactor.text(this.#text);
    const unfinished = UNFINISHED.exec(clean.slice(-MAX_UNFINISHED_CHARS))?.[0].length ?? 0;
    const least = redactor.hasOwnRules ? UNFINISHED_OWN_CHARS : 0;
    const length = clean.length - Math.max(unfinished, least);
    return clean.slice(Math.max(length - MAX_SHOWN_CHARS, 0), Math.max(length, 0));
  }
}
