/**
 * Formatting of JSON by white space outside of strings: every token stays as it was.
 *
 * The text is never parsed into values, so `9007199254740993`, `1e400`, `1.0` and duplicate keys
 * survive. The same pass finds where a text is not JSON.
 */
import { JSON_MISTAKES } from '../../texts.ts';

export type Formatted =
  | {
      readonly isJson: true;
      readonly text: string;
      /** Index of a key that its object has already; undefined: none. */
      readonly twice: number | undefined;
    }
  | { readonly isJson: false; readonly at: number; readonly what: string };

const INDENT = '  ';
/** Limit of indentation, in levels: it must not outgrow the text. */
const MAX_INDENT = 24;
const OBJECT = 0x7b;
const ARRAY = 0x5b;

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside of strings
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const CUT_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
/** What may be left of a text that is cut anywhere: nothing, or a token without its end. */
const CUT_TOKEN = /^(?:"(?:[^"\\]|\\.)*\\?|-|\.|[eE][+-]?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)?$/s;

export function formatJson(text: string): Formatted {
  try {
    const formatter = new Formatter(text);
    return { isJson: true, text: formatter.format(), twice: formatter.twice };
  } catch (error) {
    if (error instanceof Mistake) return { isJson: false, at: error.at, what: error.message };
    throw error;
  }
}

/**
 * The beginning of a JSON text that is cut short, formatted as far as it goes; undefined when it is
 * no JSON before its end.
 */
export function formatBeginning(text: string): string | undefined {
  const formatter = new Formatter(text);
  try {
    return formatter.format();
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return formatter.untilTheEnd();
  }
}

class Mistake extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

class Formatter {
  private readonly text: string;
  private at = 0;
  private readonly out: string[] = [];
  /** First character of each open container. */
  private readonly open: number[] = [];
  /** Keys of each open container. */
  private readonly keys: Set<string>[] = [];
  twice: number | undefined;
  /** Whether the innermost one has just begun, and has a member. */
  private hasBegun = false;

  constructor(text: string) {
    this.text = text;
  }

  format(): string {
    this.take(SPACE);
    this.value();
    // A loop and a stack of its own: a text may be nested deeper than calls can be.
    for (let inside = this.open.at(-1); inside !== undefined; inside = this.open.at(-1)) {
      if (this.hasBegun) this.member(inside);
      else this.next(inside);
    }
    if (this.at < this.text.length) this.fail(JSON_MISTAKES.end);
    return this.out.join('');
  }

  /** What is formatted, with the token that the text ends in; undefined: it failed before. */
  untilTheEnd(): string | undefined {
    const rest = this.text.slice(this.at);
    return CUT_TOKEN.test(rest) ? this.out.join('') + rest : undefined;
  }

  /** One value; a container is only begun. */
  private value(): void {
    const code = this.text.charCodeAt(this.at);
    if (code === OBJECT || code === ARRAY) this.begin(code);
    else {
      const start = this.at;
      if (code === 0x22) this.string();
      else if (!this.take(NUMBER) && !this.take(WORD)) this.fail(JSON_MISTAKES.value);
      this.out.push(this.text.slice(start, this.at));
      this.take(SPACE);
    }
  }

  private begin(code: number): void {
    this.at += 1;
    this.take(SPACE);
    const isEmpty = this.text.charCodeAt(this.at) === code + 2;
    if (isEmpty) {
      this.out.push(code === OBJECT ? '{}' : '[]');
      this.at += 1;
      this.take(SPACE);
      return;
    }
    this.out.push(code === OBJECT ? '{' : '[');
    this.open.push(code);
    this.keys.push(new Set());
    this.hasBegun = true;
  }

  /** The text after a value inside of a container. */
  private next(container: number): void {
    const code = this.text.charCodeAt(this.at);
    if (code === 0x2c) {
      this.at += 1;
      this.out.push(',');
      this.take(SPACE);
      this.member(container);
    } else if (code === container + 2) {
      this.at += 1;
      this.open.pop();
      this.keys.pop();
      this.line();
      this.out.push(container === OBJECT ? '}' : ']');
      this.take(SPACE);
    } else this.fail(JSON_MISTAKES.comma(container === OBJECT ? '}' : ']'));
  }

  private member(container: number): void {
    this.hasBegun = false;
    this.line();
    if (container === OBJECT) {
      const start = this.at;
      if (this.text.charCodeAt(start) !== 0x22) this.fail(JSON_MISTAKES.key);
      this.string();
      this.key(start, this.text.slice(start, this.at));
      this.take(SPACE);
      if (this.text.charCodeAt(this.at) !== 0x3a) this.fail(JSON_MISTAKES.colon);
      this.at += 1;
      this.take(SPACE);
    }
    this.value();
  }

  private key(at: number, source: string): void {
    this.out.push(source, ': ');
    // The same key may be written in two ways.
    const key: string = source.includes('\\') ? JSON.parse(source) : source.slice(1, -1);
    const keys = this.keys.at(-1);
    if (keys?.has(key)) this.twice ??= at;
    keys?.add(key);
  }

  private string(): void {
    const start = this.at;
    this.at += 1;
    for (;;) {
      this.take(PLAIN);
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        if (this.take(ESCAPE)) continue;
        if (!CUT_ESCAPE.test(this.text.slice(this.at, this.at + 6)))
          this.fail(JSON_MISTAKES.escape);
        this.at = start;
        this.fail(JSON_MISTAKES.unterminated);
      } else if (Number.isNaN(code)) {
        this.at = start;
        this.fail(JSON_MISTAKES.unterminated);
      } else if (code === 0x0a) this.fail(JSON_MISTAKES.lineBreak);
      else this.fail(JSON_MISTAKES.control);
    }
    this.at += 1;
  }

  private line(): void {
    this.out.push('\n', INDENT.repeat(Math.min(this.open.length, MAX_INDENT)));
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    const hasMoved = pattern.lastIndex > this.at;
    this.at = pattern.lastIndex;
    return hasMoved;
  }

  private fail(what: string): never {
    throw new Mistake(this.at, this.at >= this.text.length ? JSON_MISTAKES.endsHere(what) : what);
  }
}

/** Line and column of an index, from 1. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}
