/**
 * Positions of values in JSON text.
 *
 * Values are never turned into JavaScript numbers, so `9007199254740993` and `1.10` are shown and
 * copied as they came. Nodes are columns of 27 bytes together, and the scanner stops when its
 * budget is used up, so a large document is read in slices without a long frame.
 */

export enum JsonKind {
  Object,
  Array,
  String,
  Number,
  True,
  False,
  Null,
}

const FIRST_CAPACITY = 256;
/** Limit of values: the index of more would take too much memory. */
const MAX_NODES = 4_000_000;
const MAX_DEPTH = 0xffff;

/** Nodes in document order: a container is followed by its descendants. */
export class JsonIndex {
  readonly text: string;
  count = 0;
  /** `JsonKind` of each node. */
  kind = new Uint8Array(FIRST_CAPACITY);
  /** First character of the value, and the one after its last. */
  start = new Uint32Array(FIRST_CAPACITY);
  end = new Uint32Array(FIRST_CAPACITY);
  /** Depth of each node, at most 65535. */
  depth = new Uint16Array(FIRST_CAPACITY);
  parent = new Int32Array(FIRST_CAPACITY);
  childCount = new Uint32Array(FIRST_CAPACITY);
  /** Position among the children of its parent. */
  position = new Uint32Array(FIRST_CAPACITY);
  /** The node after the last descendant. */
  after = new Uint32Array(FIRST_CAPACITY);

  constructor(text: string) {
    this.text = text;
  }

  add(kind: JsonKind, start: number, parent: number): number {
    if (this.count === this.kind.length) this.grow(start);
    const node = this.count;
    this.count += 1;
    this.kind[node] = kind;
    this.start[node] = start;
    this.parent[node] = parent;
    if (parent >= 0) {
      this.depth[node] = Math.min((this.depth[parent] ?? 0) + 1, MAX_DEPTH);
      this.position[node] = this.childCount[parent] ?? 0;
      this.childCount[parent] = (this.childCount[parent] ?? 0) + 1;
    }
    return node;
  }

  close(node: number, end: number): void {
    this.end[node] = end;
    this.after[node] = this.count;
  }

  isContainer(node: number): boolean {
    const kind = this.kind[node];
    return kind === JsonKind.Object || kind === JsonKind.Array;
  }

  /** The value exactly as it was written. */
  source(node: number): string {
    return this.text.slice(this.start[node], this.end[node]);
  }

  /** The member's key, decoded; undefined for array elements and the root. */
  key(node: number): string | undefined {
    const parent = this.parent[node] ?? -1;
    if (parent < 0 || this.kind[parent] !== JsonKind.Object) return undefined;
    const [start, end] = this.keyBefore(this.start[node] ?? 0);
    return decodeString(this.text.slice(start, end));
  }

  /** Place of the key of the value at `start`, with its quotes: found again, not stored. */
  private keyBefore(start: number): [number, number] {
    const { text } = this;
    const end = text.lastIndexOf('"', text.lastIndexOf(':', start - 1)) + 1;
    let open = end - 2;
    // A quote inside of the key has an odd number of backslashes before it, its first one none.
    while (text.charCodeAt(open) !== QUOTE || isEscaped(text, open)) open -= 1;
    return [open, end];
  }

  /** The decoded string of a string node, at most `limit` UTF-16 units of source. */
  string(node: number, limit = Number.POSITIVE_INFINITY): string {
    const start = this.start[node] ?? 0;
    const end = this.end[node] ?? 0;
    if (end - start <= limit) return decodeString(this.text.slice(start, end));
    return decodeCut(this.text.slice(start, start + limit));
  }

  *children(node: number): Generator<number> {
    const last = this.after[node] ?? 0;
    if (!this.isContainer(node)) return;
    for (let child = node + 1; child < last; child = this.after[child] ?? last) yield child;
  }

  /** The member with that key. */
  member(node: number, key: string): number | undefined {
    for (const child of this.children(node)) if (this.key(child) === key) return child;
    return undefined;
  }

  /** Path of the node: `$.messages[2]["content type"]`. */
  path(node: number): string {
    const steps: string[] = [];
    for (let at = node; at > 0; at = this.parent[at] ?? 0) {
      const key = this.key(at);
      if (key === undefined) steps.push(`[${this.position[at]}]`);
      else steps.push(/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
    }
    return `$${steps.reverse().join('')}`;
  }

  /**
   * Grow the columns to the size that the whole text will need, extrapolated from the part before
   * `start`.
   */
  private grow(start: number): void {
    if (this.count >= MAX_NODES) throw new JsonSizeError();
    const foreseen = (this.count / Math.max(start, 1)) * this.text.length * 1.05;
    const capacity = Math.min(
      MAX_NODES,
      Math.ceil(Math.min(Math.max(foreseen, this.count * 1.3), this.count * 256)),
    );
    this.kind = grown(this.kind, new Uint8Array(capacity));
    this.start = grown(this.start, new Uint32Array(capacity));
    this.end = grown(this.end, new Uint32Array(capacity));
    this.depth = grown(this.depth, new Uint16Array(capacity));
    this.parent = grown(this.parent, new Int32Array(capacity));
    this.childCount = grown(this.childCount, new Uint32Array(capacity));
    this.position = grown(this.position, new Uint32Array(capacity));
    this.after = grown(this.after, new Uint32Array(capacity));
  }
}

function grown<T extends Uint8Array | Uint16Array | Uint32Array | Int32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether the character at `at` has an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** The text has more than `MAX_NODES` values. */
export class JsonSizeError extends Error {
  constructor() {
    super(`more than ${MAX_NODES} values`);
  }
}

class JsonSyntaxError extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(`${what} at character ${at}`);
    this.at = at;
  }
}

enum Expect {
  Colon,
  /** The rest of a string that is a key. */
  InKey,
  InString,
  Value,
  ValueOrEnd,
  KeyOrEnd,
  Key,
  CommaOrEnd,
  Nothing,
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Reads RFC 8259 JSON into a `JsonIndex`, a slice at a time. */
export class JsonScanner {
  readonly index: JsonIndex;
  private at = 0;
  private open = -1;
  private expect = Expect.Value;
  /** First character of the string being read. */
  private stringStart = 0;

  constructor(text: string) {
    this.index = new JsonIndex(text);
  }

  /** Characters read so far. */
  get done(): number {
    return this.at;
  }

  /**
   * Read on for about `budget` characters; true when the document is complete.
   *
   * Throws `JsonSyntaxError` and `JsonSizeError`.
   */
  advance(budget: number): boolean {
    const { text } = this.index;
    const stop = Math.min(text.length, this.at + budget);
    while (this.at < text.length && this.at <= stop) {
      if (this.expect === Expect.InKey || this.expect === Expect.InString) {
        this.readString(stop);
        continue;
      }
      this.skipSpace();
      if (this.at >= text.length) break;
      this.step(text.charCodeAt(this.at));
    }
    if (this.at < text.length) return false;
    if (this.expect !== Expect.Nothing) throw new JsonSyntaxError(this.at, 'unexpected end');
    return true;
  }

  private step(code: number): void {
    switch (this.expect) {
      case Expect.Nothing:
        throw new JsonSyntaxError(this.at, 'text after the value');
      case Expect.CommaOrEnd:
        if (code === 0x2c /* , */) {
          this.at += 1;
          this.expect = this.isInObject() ? Expect.Key : Expect.Value;
        } else this.closeContainer(code);
        return;
      case Expect.KeyOrEnd:
      case Expect.Key:
        if (code === QUOTE) this.begin(Expect.InKey);
        else if (this.expect === Expect.KeyOrEnd) this.closeContainer(code);
        else throw new JsonSyntaxError(this.at, 'expected a key');
        return;
      case Expect.Colon:
        if (code !== 0x3a /* : */) throw new JsonSyntaxError(this.at, 'expected a colon');
        this.at += 1;
        this.expect = Expect.Value;
        return;
      case Expect.ValueOrEnd:
        if (code === 0x5d /* ] */) this.closeContainer(code);
        else this.readValue(code);
        return;
      default:
        this.readValue(code);
    }
  }

  private begin(expect: Expect): void {
    this.stringStart = this.at;
    this.at += 1;
    this.expect = expect;
  }

  /** Read on to the end of a string, or to `stop`: a string may be as long as the whole text. */
  private readString(stop: number): void {
    const { text } = this.index;
    for (;;) {
      const quote = text.indexOf('"', this.at);
      if (quote < 0) throw new JsonSyntaxError(this.stringStart, 'unterminated string');
      this.at = quote + 1;
      if (!isEscaped(text, quote)) break;
      if (this.at > stop) return;
    }
    if (this.expect === Expect.InKey) {
      this.expect = Expect.Colon;
      return;
    }
    const node = this.index.add(JsonKind.String, this.stringStart, this.open);
    this.index.close(node, this.at);
    this.afterValue();
  }

  private readValue(code: number): void {
    if (code === 0x7b /* { */) this.openContainer(JsonKind.Object, Expect.KeyOrEnd);
    else if (code === 0x5b /* [ */) this.openContainer(JsonKind.Array, Expect.ValueOrEnd);
    else if (code === QUOTE) this.begin(Expect.InString);
    else {
      const start = this.at;
      const kind = this.readLiteral(code);
      this.index.close(this.index.add(kind, start, this.open), this.at);
      this.afterValue();
    }
  }

  private readLiteral(code: number): JsonKind {
    if (code === 0x74 /* t */) return this.readWord('true', JsonKind.True);
    if (code === 0x66 /* f */) return this.readWord('false', JsonKind.False);
    if (code === 0x6e /* n */) return this.readWord('null', JsonKind.Null);
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.index.text)) throw new JsonSyntaxError(this.at, 'expected a value');
    this.at = NUMBER.lastIndex;
    return JsonKind.Number;
  }

  private readWord(word: string, kind: JsonKind): JsonKind {
    if (!this.index.text.startsWith(word, this.at)) {
      throw new JsonSyntaxError(this.at, 'expected a value');
    }
    this.at += word.length;
    return kind;
  }

  private openContainer(kind: JsonKind, expect: Expect): void {
    this.open = this.index.add(kind, this.at, this.open);
    this.at += 1;
    this.expect = expect;
  }

  private closeContainer(code: number): void {
    const wanted = this.isInObject() ? 0x7d /* } */ : 0x5d; /* ] */
    if (code !== wanted) throw new JsonSyntaxError(this.at, 'expected a comma or the end');
    this.at += 1;
    this.index.close(this.open, this.at);
    this.open = this.index.parent[this.open] ?? -1;
    this.afterValue();
  }

  private afterValue(): void {
    this.expect = this.open < 0 ? Expect.Nothing : Expect.CommaOrEnd;
  }

  private isInObject(): boolean {
    return this.index.kind[this.open] === JsonKind.Object;
  }

  private skipSpace(): void {
    const { text } = this.index;
    for (; this.at < text.length; this.at += 1) {
      const code = text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }
}

/** Decodes a string literal in slices: a string may hold a whole JSON document. */
export class StringDecoder {
  private readonly text: string;
  private readonly end: number;
  private at: number;
  private readonly pieces: string[] = [];

  /** `node`: a string node of the index. */
  constructor(index: JsonIndex, node: number) {
    this.text = index.text;
    this.at = (index.start[node] ?? 0) + 1;
    this.end = (index.end[node] ?? 0) - 1;
  }

  get done(): number {
    return this.at;
  }

  /** The decoded string, once it is complete. */
  get value(): string {
    return this.pieces.join('');
  }

  /** Decode about `budget` more characters; true at the end. */
  advance(budget: number): boolean {
    const to = this.beforeEscape(Math.min(this.end, this.at + Math.max(budget, MAX_ESCAPE)));
    this.pieces.push(decodeString(`"${this.text.slice(this.at, to)}"`));
    this.at = to;
    return to >= this.end;
  }

  /** `to`, or the beginning of the escape that it cuts in two. */
  private beforeEscape(to: number): number {
    if (to >= this.end) return this.end;
    for (let at = to - 1; at > to - MAX_ESCAPE && at >= this.at; at -= 1) {
      if (this.text.charCodeAt(at) !== BACKSLASH || isEscaped(this.text, at)) continue;
      const length = this.text.charCodeAt(at + 1) === 0x75 /* u */ ? MAX_ESCAPE : 2;
      return at + length > to ? at : to;
    }
    return to;
  }
}

/** Length of `\uffff`. */
const MAX_ESCAPE = 6;

/** Index the whole text at once; undefined if it is not JSON or has too many values. */
export function indexJson(text: string): JsonIndex | undefined {
  const scanner = new JsonScanner(text);
  try {
    scanner.advance(Number.POSITIVE_INFINITY);
    return scanner.index;
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonSizeError) return undefined;
    throw error;
  }
}

/** Longest text that is read for its line, and the longest value on it. */
const MOST_READ = 20_000;
const VALUE_CHARACTERS = 48;

/** Members of an object in a line, without quotes, each short; any other text as it is. */
export function membersLine(text: string): string {
  const index = text.length <= MOST_READ ? indexJson(text) : undefined;
  if (index === undefined || index.kind[0] !== JsonKind.Object || index.count === 1) return text;
  const members = [...index.children(0)];
  const limit = members.length === 1 ? VALUE_CHARACTERS : VALUE_CHARACTERS / 2;
  return members
    .map((node) => {
      const isString = index.kind[node] === JsonKind.String;
      const value = isString ? index.string(node) : index.source(node);
      return `${index.key(node)}: ${withoutMiddle(value, limit)}`;
    })
    .join(', ');
}

/** Both ends of a long text: paths often differ in the last part alone. */
function withoutMiddle(text: string, limit: number): string {
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  const end = Math.floor(limit / 2);
  return `${characters.slice(0, limit - end - 1).join('')}…${characters.slice(-end).join('')}`;
}

function decodeString(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // Control characters inside a string are against the RFC, but are what was sent.
    return quoted.slice(1, -1);
  }
}

/** Decode the beginning of a string literal, without an escape that was cut in two. */
function decodeCut(cut: string): string {
  for (let length = cut.length; length > cut.length - 7; length -= 1) {
    try {
      return JSON.parse(`${cut.slice(0, length)}"`) as string;
    } catch {
      // One character less.
    }
  }
  return cut.slice(1);
}
