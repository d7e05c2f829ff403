/**
 * Which span is drawn on which row.
 *
 * Parent pointers come from the network: a parent may arrive late, never, or point in a circle.
 * Every span gets exactly one place, whatever they say.
 */

export interface TreeSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly offset_ns: number;
}

export interface DuplicableSpan extends TreeSpan {
  /** Span id of the span that shows the same operation. */
  readonly duplicate_of: string | null;
}

/** Rows as columns: 100 000 rows are three buffers, not 100 000 objects. */
export interface Rows {
  /** Rows that are shown. */
  readonly count: number;
  /** Row → index into the spans given. */
  readonly spanIndex: Uint32Array;
  /** Row → depth, 0 for a root. */
  readonly depth: Uint32Array;
  /** Span index → number of direct children. */
  readonly childCount: Uint32Array;
}

export const NO_ROWS: Rows = {
  count: 0,
  spanIndex: new Uint32Array(0),
  depth: new Uint32Array(0),
  childCount: new Uint32Array(0),
};

/** Identity of a span inside a session, which may hold several traces. */
export function spanKey(span: { readonly trace_id: string; readonly span_id: string }): string {
  return `${span.trace_id}.${span.span_id}`;
}

/** Key of the parent, or the empty string for a root. */
export function parentKey(span: TreeSpan): string {
  return span.parent_span_id === null ? '' : `${span.trace_id}.${span.parent_span_id}`;
}

/** Siblings are ordered by start, so that a row never moves when its span ends. */
function compareLatestFirst(a: TreeSpan, b: TreeSpan): number {
  return b.offset_ns - a.offset_ns || (b.span_id < a.span_id ? -1 : b.span_id > a.span_id ? 1 : 0);
}

/** Place every span once; children of a collapsed span are left out. */
export function layoutRows(spans: readonly TreeSpan[], collapsed: ReadonlySet<string>): Rows {
  const keys = spans.map(spanKey);
  const indexOf = new Map(keys.map((key, index) => [key, index]));
  const order = [...spans.keys()].sort((a, b) => compareLatestFirst(at(spans, a), at(spans, b)));
  const children: number[][] = spans.map(() => []);
  const childCount = new Uint32Array(spans.length);
  const roots: number[] = [];
  for (const index of order) {
    const parent = indexOf.get(parentKey(at(spans, index)));
    if (parent === undefined || parent === index) roots.push(index);
    else {
      at(children, parent).push(index);
      childCount[parent] = (childCount[parent] ?? 0) + 1;
    }
  }
  const spanIndex = new Uint32Array(spans.length);
  const depth = new Uint32Array(spans.length);
  const placed = new Uint8Array(spans.length);
  let count = 0;
  // An explicit stack: a 10 000-deep agent loop must not overflow the call stack. It is popped
  // from the end: roots first; the tail of `order` only salvages spans caught in a cycle.
  const stack = [...order, ...roots].map((index) => ({ index, level: 0, hidden: false }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (placed[top.index]) continue;
    placed[top.index] = 1;
    if (!top.hidden) {
      spanIndex[count] = top.index;
      depth[count] = top.level;
      count += 1;
    }
    const hidden = top.hidden || collapsed.has(at(keys, top.index));
    for (const index of at(children, top.index)) {
      stack.push({ index, level: top.level + 1, hidden });
    }
  }
  return { count, spanIndex, depth, childCount };
}

/**
 * Keys of the spans that begin folded: below them is nothing but twins, spans in which another
 * layer tells of the same operation once more. A twin with something below it stays in view.
 */
export function foldedAtFirst(spans: readonly DuplicableSpan[]): ReadonlySet<string> {
  const parents = new Set(spans.map(parentKey));
  const folded = new Set<string>();
  const open = new Set<string>();
  for (const span of spans) {
    const isBareTwin = span.duplicate_of !== null && !parents.has(spanKey(span));
    (isBareTwin ? folded : open).add(parentKey(span));
  }
  return new Set([...folded].filter((key) => key !== '' && !open.has(key)));
}

/** Keys of all ancestors of a span, nearest first; stops where a cycle closes. */
export function ancestorKeys(span: TreeSpan, get: (key: string) => TreeSpan | undefined): string[] {
  const seen = new Set([spanKey(span)]);
  const ancestors: string[] = [];
  for (let key = parentKey(span); key !== '' && !seen.has(key); ) {
    const parent = get(key);
    if (parent === undefined) break;
    seen.add(key);
    ancestors.push(key);
    key = parentKey(parent);
  }
  return ancestors;
}

/** `items[index]`, which is there. */
export function at<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index} of ${items.length}`);
  return item;
}
