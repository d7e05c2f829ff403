/**
 * Trees of a session's spans, updated while spans come and change, and their rows.
 *
 * Parent pointers come from the network: a parent may arrive late, never, or point in a circle.
 * Every span gets exactly one place all the same. Spans are numbered in the order of their arrival:
 * 100 000 rows are a few buffers, which are arranged in milliseconds.
 */
import { type DuplicableSpan, parentKey, spanKey } from './span-key.ts';

const ROOT = -1;
/** Level of a span inside a folded one. */
const HIDDEN = -1;
const NONE: readonly number[] = [];
/** Limit of descendants of a span that is folded at first: more are worth a look. */
const MAX_FOLDED = 64;

/** The rows as columns. */
export interface Rows {
  /** Number of shown rows. */
  readonly count: number;
  /** Row → number of the span. */
  readonly spanIndex: Uint32Array;
  /** Row → depth, 0 for a root. */
  readonly depth: Uint32Array;
  /** Row → its position among its shown siblings, from 1. */
  readonly position: Uint32Array;
  /** Row → number of the span above it, -1 for a root. */
  readonly parent: Int32Array;
  /** Number of a span → its row, -1 where it is not shown. */
  readonly rowOf: Int32Array;
  /** Number of a span → how many children can be shown. */
  readonly childCount: Int32Array;
  readonly rootCount: number;
  /** Number of a span → 1 if its descendants are hidden. */
  readonly folded: Uint8Array;
}

export interface Arrangement {
  /** Keys that the reader folded (true) or unfolded (false) by hand. */
  readonly byHand: ReadonlyMap<string, boolean>;
  /**
   * Folds all the others (true) or unfolds them (false); undefined: as at first
   * (`isFoldedAtFirst`).
   */
  readonly all: boolean | undefined;
  /**
   * 1 at the number of each span to show, undefined for all. A child is shown only below its
   * parent.
   */
  readonly only?: Uint8Array | undefined;
  /**
   * 1 at the number of each branch of a running session that is unfolded: others are folded at
   * first, but for roots. Undefined of a session that does not run.
   */
  readonly live?: Uint8Array | undefined;
}

export const AS_AT_FIRST: Arrangement = { byHand: new Map(), all: undefined };

export class SpanForest {
  private readonly numbers = new Map<string, number>();
  private readonly spans: DuplicableSpan[] = [];
  private readonly keys: string[] = [];
  private readonly parents: number[] = [];
  private readonly children: number[][] = [];
  /** Key of a missing parent → numbers of its children. */
  private readonly orphans = new Map<string, Set<number>>();
  /** Sorted when needed; undefined after a change. */
  private sortedRoots: number[] | undefined;
  private readonly unsorted = new Set<number>();

  get size(): number {
    return this.spans.length;
  }

  numberOf(key: string): number | undefined {
    return this.numbers.get(key);
  }

  keyOf(number: number): string | undefined {
    return this.keys[number];
  }

  /** The parent's number, -1 for a root. Every span of a circle has a parent. */
  parentOf(number: number): number {
    return this.parents[number] ?? ROOT;
  }

  /** Numbers of the children, by start. */
  childrenOf(number: number): readonly number[] {
    const children = this.children[number];
    if (children === undefined) return NONE;
    if (this.unsorted.delete(number)) children.sort(this.byStart);
    return children;
  }

  /** Numbers of the roots, by start; without the spans of a circle. */
  roots(): readonly number[] {
    if (this.sortedRoots === undefined) {
      this.sortedRoots = [];
      for (let number = 0; number < this.parents.length; number += 1) {
        if (this.parents[number] === ROOT) this.sortedRoots.push(number);
      }
      this.sortedRoots.sort(this.byStart);
    }
    return this.sortedRoots;
  }

  /** Add a span, or its newer version; return whether the rows change. */
  put(span: DuplicableSpan, key = spanKey(span)): boolean {
    const number = this.numbers.get(key);
    if (number === undefined) {
      this.add(key, span);
      return true;
    }
    const before = at(this.spans, number);
    this.spans[number] = span;
    const isElsewhere =
      before.parent_span_id !== span.parent_span_id || before.offset_ns !== span.offset_ns;
    if (isElsewhere) {
      this.detach(number, before);
      this.attach(number, span);
    }
    return isElsewhere || before.duplicate_of !== span.duplicate_of;
  }

  /** Forget all spans but the first `count`: what is below a forgotten one is a root again. */
  truncate(count: number): void {
    for (let number = this.size - 1; number >= count; number -= 1) {
      const span = at(this.spans, number);
      this.detach(number, span);
      this.spans.pop();
      this.parents.pop();
      this.unsorted.delete(number);
      this.numbers.delete(this.keys.pop() ?? '');
      // One that began before the span above it was put before it.
      const below = this.children[number] ?? NONE;
      this.children.length = Math.min(this.children.length, number);
      for (const child of below) this.parents[child] = ROOT;
      for (const child of below) this.attach(child, at(this.spans, child));
    }
  }

  private add(key: string, span: DuplicableSpan): void {
    const number = this.spans.length;
    this.numbers.set(key, number);
    this.spans.push(span);
    this.keys.push(key);
    this.parents.push(ROOT);
    this.attach(number, span);
    const waiting = this.orphans.size === 0 ? undefined : this.orphans.get(key);
    if (waiting === undefined) return;
    this.orphans.delete(key);
    for (const child of waiting) this.putBelow(child, number);
    this.sortedRoots = undefined;
  }

  private attach(number: number, span: DuplicableSpan): void {
    const parent = this.parentNumberOf(number, span);
    if (parent !== undefined && parent !== number) {
      this.putBelow(number, parent);
      return;
    }
    this.parents[number] = ROOT;
    this.sortedRoots = undefined;
    if (span.parent_span_id === null || parent === number) return;
    const key = parentKey(span);
    const waiting = this.orphans.get(key);
    if (waiting === undefined) this.orphans.set(key, new Set([number]));
    else waiting.add(number);
  }

  private parentNumberOf(number: number, span: DuplicableSpan): number | undefined {
    if (span.parent_span_id === null) return undefined;
    // Siblings mostly come one after the other: a key need not be made, and hashed, for each.
    const before = this.spans[number - 1];
    const isSibling =
      before !== undefined &&
      before.parent_span_id === span.parent_span_id &&
      before.trace_id === span.trace_id;
    const parent = isSibling ? at(this.parents, number - 1) : ROOT;
    return parent === ROOT ? this.numbers.get(parentKey(span)) : parent;
  }

  private putBelow(number: number, parent: number): void {
    this.parents[number] = parent;
    const siblings = this.children[parent] ?? [];
    const last = siblings.at(-1);
    // Spans mostly come in the order in which they began.
    if (last !== undefined && this.byStart(last, number) > 0) this.unsorted.add(parent);
    siblings.push(number);
    this.children[parent] = siblings;
  }

  private detach(number: number, before: DuplicableSpan): void {
    const siblings = this.children[this.parentOf(number)];
    // The last one that came is mostly the last of them.
    siblings?.splice(siblings.lastIndexOf(number), 1);
    this.orphans.get(parentKey(before))?.delete(number);
    this.sortedRoots = undefined;
  }

  /** Compare by start, so that a row never moves when its span ends. */
  private readonly byStart = (a: number, b: number): number => {
    const [first, second] = [at(this.spans, a), at(this.spans, b)];
    if (first.offset_ns !== second.offset_ns) return first.offset_ns - second.offset_ns;
    const [one, other] = [first.span_id + first.trace_id, second.span_id + second.trace_id];
    return one < other ? -1 : one > other ? 1 : 0;
  };

  /**
   * Whether a span is folded at first: all below it are duplicates, in which another layer reports
   * the same operation. A duplicate with something else below it stays in view.
   */
  isFoldedAtFirst(number: number): boolean {
    const children = this.children[number];
    if (children === undefined || children.length === 0) return false;
    return children.every((child) => this.isBareDuplicate(child));
  }

  /** Whether a span is a duplicate with few descendants, all of them duplicates. */
  isBareDuplicate(number: number): boolean {
    const below = [number];
    for (let place = 0; place < below.length; place += 1) {
      const one = below[place] ?? number;
      if (place > MAX_FOLDED || at(this.spans, one).duplicate_of === null) return false;
      below.push(...this.childrenOf(one));
    }
    return true;
  }

  /** Numbers of all ancestors, nearest first; stops where a circle closes. */
  ancestorsOf(number: number): number[] {
    const found: number[] = [];
    const seen = new Set([number]);
    for (let above = this.parentOf(number); above !== ROOT; above = this.parentOf(above)) {
      if (seen.has(above)) break;
      seen.add(above);
      found.push(above);
    }
    return found;
  }

  /** Numbers of a span and its siblings, by start. */
  siblingsOf(number: number): readonly number[] {
    const parent = this.parentOf(number);
    return parent === ROOT ? this.roots() : this.childrenOf(parent);
  }

  /** 1 at the number of each of these spans and of their ancestors. */
  withAncestors(numbers: Iterable<number>): Uint8Array {
    const marked = new Uint8Array(this.size);
    for (const number of numbers) {
      for (let above = number; above !== ROOT && marked[above] === 0; above = this.parentOf(above))
        marked[above] = 1;
    }
    return marked;
  }

  /** 1 at the number of each ancestor of one of these spans. */
  above(numbers: Iterable<number>): Uint8Array {
    const parents = [...numbers].map((number) => this.parentOf(number));
    return this.withAncestors(parents.filter((parent) => parent !== ROOT));
  }

  /** Lay out every span once, without descendants of folded ones. */
  arrange({ byHand, all, only, live }: Arrangement): Rows {
    const count = this.size;
    const columns = {
      spanIndex: new Uint32Array(count),
      depth: new Uint32Array(count),
      position: new Uint32Array(count),
      parent: new Int32Array(count),
      rowOf: new Int32Array(count).fill(-1),
      childCount: new Int32Array(count),
      folded: new Uint8Array(count),
    };
    const chosen = this.numbered(byHand);
    const isIncluded = (number: number) => only === undefined || only[number] === 1;
    const seen = new Uint8Array(count);
    let row = 0;
    let rootCount = 0;
    let seenCount = 0;
    // Explicit stacks: a 10 000-deep agent loop must not overflow the call stack.
    const numbers: number[] = [];
    const levels: number[] = [];
    const positions: number[] = [];
    const push = (number: number, level: number, position: number): void => {
      numbers.push(number);
      levels.push(level);
      positions.push(position);
    };
    const placeAll = (root: number): void => {
      if (!isIncluded(root)) return;
      rootCount += 1;
      push(root, 0, rootCount);
      for (let top = numbers.pop(); top !== undefined; top = numbers.pop()) {
        const level = levels.pop() ?? 0;
        const position = positions.pop() ?? 0;
        if (seen[top] === 1) continue;
        seen[top] = 1;
        seenCount += 1;
        if (level !== HIDDEN) {
          columns.spanIndex[row] = top;
          columns.depth[row] = level;
          columns.position[row] = position;
          columns.parent[row] = level === 0 ? ROOT : this.parentOf(top);
          columns.rowOf[top] = row;
          row += 1;
        }
        const below = this.childrenOf(top);
        if (below.length === 0) continue;
        const children = below.filter((child) => seen[child] === 0 && isIncluded(child));
        if (children.length === 0) continue;
        const isOver = live !== undefined && live[top] !== 1 && this.parentOf(top) !== ROOT;
        const isFolded = chosen.get(top) ?? all ?? (isOver || this.isFoldedAtFirst(top));
        columns.childCount[top] = children.length;
        columns.folded[top] = isFolded ? 1 : 0;
        const next = isFolded || level === HIDDEN ? HIDDEN : level + 1;
        for (let at = children.length; at > 0; at -= 1) push(children[at - 1] ?? 0, next, at);
      }
    };
    for (const root of this.roots()) placeAll(root);
    // What is left is caught in circles: the first of each, by start, counts as its root.
    if (seenCount < count) {
      const left = [...seen.keys()].filter((number) => seen[number] === 0 && isIncluded(number));
      for (const number of left.sort(this.byStart)) if (seen[number] === 0) placeAll(number);
    }
    return { count: row, rootCount, ...columns };
  }

  private numbered(byHand: ReadonlyMap<string, boolean>): ReadonlyMap<number, boolean> {
    const chosen = new Map<number, boolean>();
    for (const [key, isFolded] of byHand) {
      const number = this.numbers.get(key);
      if (number !== undefined) chosen.set(number, isFolded);
    }
    return chosen;
  }
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index} of ${items.length}`);
  return item;
}
