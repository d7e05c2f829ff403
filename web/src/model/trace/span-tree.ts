/** Spans of a session in depth-first order: children follow their parent, siblings by start. */
import type { SpanRow } from '../../api/types.ts';
import { eachPlace, type Steps } from '../slices.ts';
import type { SpanForest } from './span-forest.ts';

/** The tree as columns; the index is the position in depth-first order. */
export interface SpanTree {
  readonly rows: readonly SpanRow[];
  readonly keys: readonly string[];
  /** Index of the parent, which is smaller; −1 for a root. */
  readonly parent: Int32Array;
  readonly level: Uint32Array;
}

/** `rowOf`: the newest version of a span of the forest, by its key; spans may come between steps. */
export function* spanTreeOf(
  forest: SpanForest,
  rowOf: (key: string) => SpanRow | undefined,
): Steps<SpanTree> {
  const laid = forest.arrange({ byHand: new Map(), all: false });
  yield;
  const rows: SpanRow[] = [];
  const keys: string[] = [];
  const parent = new Int32Array(laid.count);
  const level = new Uint32Array(laid.count);
  const placeOf = new Int32Array(laid.rowOf.length).fill(-1);
  yield* eachPlace(laid.count, (line) => {
    const number = laid.spanIndex[line] ?? -1;
    const key = forest.keyOf(number) ?? '';
    const row = rowOf(key);
    if (row === undefined) return;
    const place = rows.length;
    placeOf[number] = place;
    parent[place] = placeOf[laid.parent[line] ?? -1] ?? -1;
    level[place] = laid.depth[line] ?? 0;
    keys.push(key);
    rows.push(row);
  });
  return { rows, keys, parent, level };
}
