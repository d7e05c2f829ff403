/**
 * JSON read as text: where each value begins and ends, and nothing else.
 *
 * Values are never turned into JavaScript numbers, so `9007199254740993` and `1.10` are shown and
 * copied as they came. Nodes are columns and the scanner stops when its budget is used up, so a
 * large document is read in slices without a long frame.
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

const GROWTH = 2;
const FIRST_CAPACITY = 256;

/** Nodes in document order: a container is followed by all that is in it. */
export class JsonIndex {
  readonly text: string;
  count = 0;
  /** `JsonKind` of each node. */
  kind = new Uint8Array(FIRST_CAPACITY);
  /** First character of the value, and the one after its last. */
  start = new Uint32Array(FIRST_CAPACITY);
  end = new Uint32Array(FIRST_CAPACITY);
  /** The member's key with its quotes; equal when the node is no member. */
  keyStart = new Uint32Array(FIRST_CAPACITY);
  keyEnd = new Uint32Array(FIRST_CAPACITY);
  depth = new Uint32Array(FIRST_CAPACITY);
  parent = new Int32Array(FIRST_CAPACITY);
  childCount = new Uint32Array(FIRST_CAPACITY);
  /** Position among the children of its parent. */
  position = new Uint32Array(FIRST_CAPACITY);
  /** The node after the last descendant. */
  after = new Uint32Array(FIRST_CAPACITY);

  constructor(text: string) {
    this.text = text;
  }

  add(kind: JsonKind, start: number, parent: number, keyStart: number, keyEnd: number): number {
    if (this.count === this.kind.length) this.grow();
    const node = this.count;
    this.count += 1;
    this.kind[node] = kind;
    this.start[node] = start;
    this.keyStart[node] = keyStart;
    this.keyEnd[node] = keyEnd;
    this.parent[node] = parent;
    if (parent >= 0) {
      this.depth[node] = (this.depth[parent] ?? 0) + 1;
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
    const start = this.keyStart[node] ?? 0;
    const end = this.keyEnd[node] ?? 0;
    return start === end ? undefined : decodeString(this.text.slice(start, end));
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

  /** Where the node is: `$.messages[2]["content type"]`. */
  path(node: number): string {
    const steps: string[] = [];
    for (let at = node; at > 0; at = this.parent[at] ?? 0) {
      const key = this.key(at);
      if (key === undefined) steps.push(`[${this.position[at]}]`);
      else steps.push(/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
    }
    return `$${steps.reverse().join('')}`;
  }

  private grow(): void {
    const capacity = this.kind.length * GROWTH;
    this.kind = grown(this.kind, new Uint8Array(capacity));
    this.start = grown(this.start, new Uint32Array(capacity));
    this.end = grown(this.end, new Uint32Array(capacity));
    this.keyStart = grown(this.keyStart, new Uint32Array(capacity));
    this.keyEnd = grown(this.keyEnd, new Uint32Array(capacity));
    this.depth = grown(this.depth, new Uint32Array(capacity));
    this.parent = grown(this.parent, new Int32Array(capacity));
    this.childCount = grown(this.childCount, new Uint32Array(capacity));
    this.position = grown(this.position, new Uint32Array(capacity));
    this.after = grown(this.after, new Uint32Array(capacity));
  }
}

function grown<T extends Uint8Array | Uint32Array | Int32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

export class JsonSyntaxError extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(`${what} at character ${at}`);
    this.at = at;
  }
}

enum Expect {
  Value,
  ValueOrEnd,
  KeyOrEnd,
  Key,
  CommaOrEnd,
  Nothing,
}

const LITERALS: readonly (readonly [string, JsonKind])[] = [
  ['true', JsonKind.True],
  ['false', JsonKind.False],
  ['null', JsonKind.Null],
];

/** Reads RFC 8259 JSON into a `JsonIndex`, a slice at a time. */
export class JsonScanner {
  readonly index: JsonIndex;
  private at = 0;
  private open = -1;
  private expect = Expect.Value;
  private keyStart = 0;
  private keyEnd = 0;

  constructor(text: string) {
    this.index = new JsonIndex(text);
  }

  /** Read on for about `budget` characters; true when the document is complete. */
  advance(budget: number): boolean {
    const { text } = this.index;
    const stop = Math.min(text.length, this.at + budget);
    while (this.at < text.length && this.at <= stop) {
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
        if (code === 0x22 /* " */) this.readKey();
        else if (this.expect === Expect.KeyOrEnd) this.closeContainer(code);
        else throw new JsonSyntaxError(this.at, 'expected a key');
        return;
      case Expect.ValueOrEnd:
        if (code === 0x5d /* ] */) this.closeContainer(code);
        else this.readValue(code);
        return;
      case Expect.Value:
        this.readValue(code);
    }
  }

  private readKey(): void {
    this.keyStart = this.at;
    this.at = this.endOfString(this.at);
    this.keyEnd = this.at;
    this.skipSpace();
    if (this.index.text.charCodeAt(this.at) !== 0x3a /* : */) {
      throw new JsonSyntaxError(this.at, 'expected a colon');
    }
    this.at += 1;
    this.expect = Expect.Value;
  }

  private readValue(code: number): void {
    if (code === 0x7b /* { */) this.openContainer(JsonKind.Object, Expect.KeyOrEnd);
    else if (code === 0x5b /* [ */) this.openContainer(JsonKind.Array, Expect.ValueOrEnd);
    else this.readScalar(code);
  }

  private readScalar(code: number): void {
    const start = this.at;
    let kind: JsonKind;
    if (code === 0x22) {
      kind = JsonKind.String;
      this.at = this.endOfString(start);
    } else {
      kind = this.readLiteral();
    }
    const node = this.addNode(kind, start);
    this.index.close(node, this.at);
    this.afterValue();
  }

  private readLiteral(): JsonKind {
    const { text } = this.index;
    for (const [word, kind] of LITERALS) {
      if (text.startsWith(word, this.at)) {
        this.at += word.length;
        return kind;
      }
    }
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    number.lastIndex = this.at;
    if (!number.test(text)) throw new JsonSyntaxError(this.at, 'expected a value');
    this.at = number.lastIndex;
    return JsonKind.Number;
  }

  private openContainer(kind: JsonKind, expect: Expect): void {
    this.open = this.addNode(kind, this.at);
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

  private addNode(kind: JsonKind, start: number): number {
    const node = this.index.add(kind, start, this.open, this.keyStart, this.keyEnd);
    this.keyStart = 0;
    this.keyEnd = 0;
    return node;
  }

  private afterValue(): void {
    this.expect = this.open < 0 ? Expect.Nothing : Expect.CommaOrEnd;
  }

  private isInObject(): boolean {
    return this.index.kind[this.open] === JsonKind.Object;
  }

  private endOfString(start: number): number {
    const { text } = this.index;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) return at + 1;
      if (code === 0x5c /* \ */) at += 1;
    }
    throw new JsonSyntaxError(start, 'a string without end');
  }

  private skipSpace(): void {
    const { text } = this.index;
    for (; this.at < text.length; this.at += 1) {
      const code = text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }
}

/** Read the whole text at once; undefined when it is not JSON. */
export function indexJson(text: string): JsonIndex | undefined {
  const scanner = new JsonScanner(text);
  try {
    scanner.advance(Number.POSITIVE_INFINITY);
    return scanner.index;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Nodes to show, in order, when only containers that `isOpen` show what is in them. */
export function visibleNodes(
  index: JsonIndex,
  root: number,
  isOpen: (node: number) => boolean,
): number[] {
  const nodes: number[] = [];
  const last = index.after[root] ?? 0;
  for (let node = root; node < last; ) {
    nodes.push(node);
    node = isOpen(node) ? node + 1 : (index.after[node] ?? last);
  }
  return nodes;
}

/** Open at first: what fits on a screen, small things before large ones. */
export function isOpenAtFirst(index: JsonIndex, node: number, root: number): boolean {
  const size = (index.after[node] ?? node) - node;
  const depth = (index.depth[node] ?? 0) - (index.depth[root] ?? 0);
  if (depth === 0) return true;
  if (depth === 1) return size <= 60;
  return depth <= 4 && size <= 16;
}

function decodeString(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // Control characters inside a string are against the RFC, but are what was sent.
    return quoted.slice(1, -1);
  }
}

/** Decode the beginning of a string literal, dropping an escape that was cut in two. */
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
