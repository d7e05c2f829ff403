/**
 * A service in a file: the answers about one session, as a page that was saved carries them.
 *
 * They are lines of JSON, `[path with query, body, cursor of the next page]`, as gzip in base64.
 */
import { SAVED_TEXT } from '../texts.ts';
import type { Problem, Reading, SpanDetail, Transcript } from './types.ts';

export interface Saved {
  readonly session_id: string;
  readonly exported_at: string;
  /** Number of spans whose content is not in the file, or not all of it. */
  readonly left_out: number;
}

type Line = readonly [path: string, text: string, nextCursor: string | null];

export const NOWHERE = 'https://saved.invalid/';
/** Query parameters that make no difference: the file is of one session, and has what it has. */
const IGNORED = ['limit', 'max_value_bytes', 'session_id'];
const TRANSCRIPT = /\/transcript$/;
const SPAN = /^\/spans\/[^/]+\/[^/]+$/;

export class SavedAnswers {
  private readonly lines = new Map<string, Line>();
  /** Span, alone and with the call before it → the key of the answer that has its reading. */
  private readonly readings = new Map<string, string>();

  constructor(lines: Iterable<Line>) {
    for (const line of lines) {
      const url = new URL(line[0], NOWHERE);
      const key = keyOf(url);
      this.lines.set(key, line);
      if (!TRANSCRIPT.test(url.pathname)) continue;
      for (const span of url.searchParams.getAll('span')) {
        this.readings.set(span, key);
        this.readings.set(aloneOf(span), key);
      }
    }
  }

  /** Unpack the answers of a file. Rejects if they are damaged. */
  static async unpack(base64: string): Promise<SavedAnswers> {
    const packed = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const text = await new Response(unpacked).text();
    const lines = text.split('\n').filter((line) => line !== '');
    return new SavedAnswers(lines.map((line) => JSON.parse(line) as Line));
  }

  get saved(): Saved {
    const line = this.lines.get(keyOf(new URL('saved', NOWHERE)));
    if (line === undefined) throw new Error('The file is truncated.');
    return JSON.parse(line[1]) as Saved;
  }

  /** In place of the browser's `fetch`: sends nothing. */
  readonly fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
    init?.signal?.throwIfAborted();
    if ((init?.method ?? 'GET') !== 'GET') return refusal(405, SAVED_TEXT.readOnly);
    const url = new URL(String(input));
    if (TRANSCRIPT.test(url.pathname)) return this.transcript(url.searchParams.getAll('span'));
    const found = this.lines.get(keyOf(url));
    if (found === undefined) return refusal(404, SAVED_TEXT.missing);
    const [, text, cursor] = found;
    // Asked for whole, a body that is cut would pass for all of it.
    const isWhole = !url.searchParams.has('max_value_bytes');
    if (isWhole && SPAN.test(url.pathname) && isCut(text)) return refusal(404, SAVED_TEXT.missing);
    return new Response(text, cursor === null ? {} : { headers: { [NEXT_CURSOR]: cursor } });
  };

  /** The readings of any spans, which are in the file in groups. */
  private transcript(spans: readonly string[]): Response {
    const parsed = new Map<string, Transcript>();
    let first: Transcript | undefined;
    const readings = spans.flatMap((span): Reading[] => {
      const key = this.readings.get(span) ?? this.readings.get(aloneOf(span));
      if (key === undefined) return [];
      const answer = parsed.get(key) ?? (JSON.parse(this.lines.get(key)?.[1] ?? '') as Transcript);
      parsed.set(key, answer);
      first ??= answer;
      return answer.readings.filter((one) => `${one.trace_id}.${one.span_id}` === aloneOf(span));
    });
    if (first === undefined || readings.length === 0) return refusal(404, SAVED_TEXT.missing);
    return new Response(JSON.stringify({ ...first, readings, left_out: [] }));
  }
}

const NEXT_CURSOR = 'inspector-next-cursor';

function aloneOf(span: string): string {
  return span.split('~')[0] ?? '';
}

/** The same for all ways to write an address. */
function keyOf({ pathname, searchParams }: URL): string {
  // A step of a state is the same, whichever span leads to it.
  const path = searchParams.has('position') ? 'state' : decodeURIComponent(pathname);
  const query = [...searchParams].filter(([name]) => !IGNORED.includes(name)).sort();
  return JSON.stringify([path, ...query]);
}

function isCut(span: string): boolean {
  const { clamped } = JSON.parse(span) as Partial<SpanDetail>;
  return clamped !== undefined && clamped.length > 0;
}

function refusal(status: number, detail: string): Response {
  const problem: Problem = {
    type: 'about:blank',
    code: 'saved_page',
    status,
    title: detail,
    detail,
    length: null,
    position: null,
    suggestion: null,
    session_id: null,
  };
  return new Response(JSON.stringify(problem), { status });
}
