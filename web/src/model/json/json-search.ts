/** Search in JSON text, in keys and values, without regard to case, in slices. */
import { type JsonIndex, JsonKind } from './json-text.ts';

/** Limit of the listed matches. */
export const MAX_FOUND = 10_000;

export class JsonSearch {
  /** Nodes whose value or key contains the word, in document order. */
  readonly found: number[] = [];
  private readonly index: JsonIndex;
  private readonly pattern: RegExp;
  private readonly overlap: number;
  private readonly end: number;
  private at: number;

  constructor(index: JsonIndex, root: number, word: string) {
    this.index = index;
    // As it is typed, and as JSON writes it.
    const spellings = [...new Set([word, JSON.stringify(word).slice(1, -1)])];
    this.pattern = new RegExp(spellings.map(escaped).join('|'), 'gi');
    this.overlap = Math.max(...spellings.map((one) => one.length)) - 1;
    this.at = index.start[root] ?? 0;
    this.end = index.end[root] ?? 0;
  }

  get done(): number {
    return this.at;
  }

  /** Whether the limit was reached, so that there may be more matches. */
  get isFull(): boolean {
    return this.found.length >= MAX_FOUND;
  }

  /** Search about `budget` more characters; true at the end of the text. */
  advance(budget: number): boolean {
    const to = Math.min(this.end, this.at + budget);
    const piece = this.index.text.slice(this.at, Math.min(this.end, to + this.overlap));
    for (const match of piece.matchAll(this.pattern)) {
      const node = nodeAt(this.index, this.at + match.index);
      if (this.found.at(-1) !== node) this.found.push(node);
      if (this.isFull) return true;
    }
    this.at = to;
    return to >= this.end;
  }
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The node whose value or key stands at a character. */
export function nodeAt(index: JsonIndex, at: number): number {
  let low = 0;
  let high = index.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((index.start[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  // Behind the last value that began before, or between the brace and the first: a key.
  const isBehind = at >= (index.end[low] ?? 0);
  const isBrace = index.kind[low] === JsonKind.Object && at > (index.start[low] ?? 0);
  return (isBehind || isBrace) && low + 1 < index.count ? low + 1 : low;
}
