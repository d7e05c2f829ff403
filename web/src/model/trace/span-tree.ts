/** The tree of spans that are all there; of those that come and change: `span-forest.ts`. */
import { AS_AT_FIRST, type Rows, SpanForest } from './span-forest.ts';
import { type DuplicableSpan, parentKey, spanKey, type TreeSpan } from './span-key.ts';

export { type DuplicableSpan, parentKey, spanKey, type TreeSpan };

/** Place every span once, on rows; what is below a collapsed one is left out. */
export function layoutRows(spans: readonly DuplicableSpan[], collapsed: ReadonlySet<string>): Rows {
  const forest = new SpanForest();
  for (const span of spans) forest.put(span);
  const byHand = new Map([...collapsed].map((key) => [key, true] as const));
  return forest.arrange({ ...AS_AT_FIRST, byHand, all: false });
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
