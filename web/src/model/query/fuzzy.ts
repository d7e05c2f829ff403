/**
 * Fuzzy match: a typed word is a piece of the text, or pieces that each begin a word (`ner` in
 * `Next error`). In prose, such as a title, it is one piece: a sentence has nearly every word's
 * letters at the beginnings of some of its own.
 */

export interface FuzzyMatch {
  /** Higher is better; comparable between texts for the same query. */
  readonly score: number;
  /** Indexes of the matched UTF-16 units in the text, ascending. */
  readonly at: readonly number[];
}

/** Limits of the compared lengths: the work is bounded by their product. */
const MAX_QUERY = 48;
export const MAX_TEXT = 240;

const HIT = 1;
const SIDE_BY_SIDE = 8;
const WORD_START = 6;
const TEXT_START = 3;
/** Penalty for each skipped unit, and the most that may be skipped between two pieces. */
const GAP = 0.2;
const MOST_GAP = 12;
const NONE = -1e9;

/** Match every word of `query`, in any order; undefined when one is not there. */
export function fuzzyMatch(query: string, text: string, isProse = false): FuzzyMatch | undefined {
  const words = folded(query.slice(0, MAX_QUERY)).split(/\s+/).filter(Boolean);
  const within = folded(text.slice(0, MAX_TEXT));
  let score = 0;
  const at = new Set<number>();
  for (const word of words) {
    const found = bestPlaces(word, within, text, isProse ? 0 : MOST_GAP);
    if (found === undefined) return undefined;
    score += found.score;
    for (const place of found.at) at.add(place);
  }
  // Of two that match alike, the shorter one is more of what was typed.
  score -= within.length / MAX_TEXT;
  return { score, at: [...at].sort((a, b) => a - b) };
}

/** Lower case, unit by unit, so that indexes stay the same. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const one = character.toLowerCase();
    return one.length === character.length ? one : character;
  }).join('');
}

/** The better one of a piece within a word, and of pieces that begin words. */
function bestPlaces(
  word: string,
  text: string,
  original: string,
  mostGap: number,
): FuzzyMatch | undefined {
  const begun = wordBeginnings(word, text, original, mostGap);
  const start = text.indexOf(word);
  if (start < 0) return begun;
  const score = HIT * word.length + SIDE_BY_SIDE * (word.length - 1) - penalty(start);
  if (begun !== undefined && begun.score >= score) return begun;
  return { score, at: Array.from({ length: word.length }, (_, index) => start + index) };
}

/** The indexes with the highest score, by dynamic programming over the word's letters. */
function wordBeginnings(
  word: string,
  text: string,
  original: string,
  mostGap: number,
): FuzzyMatch | undefined {
  const width = text.length;
  const scores = new Float64Array(word.length * width).fill(NONE);
  const from = new Int16Array(word.length * width).fill(-1);
  for (let row = 0; row < word.length; row += 1) {
    for (let place = row; place < width; place += 1) {
      if (text[place] !== word[row]) continue;
      const bonus = startBonus(original, place);
      const cell = row * width + place;
      if (row === 0) {
        if (bonus > 0) scores[cell] = HIT + bonus - penalty(place);
        continue;
      }
      const first = bonus > 0 ? Math.max(row - 1, place - 1 - mostGap) : place - 1;
      for (let before = first; before < place; before += 1) {
        const earlier = scores[(row - 1) * width + before] ?? NONE;
        if (earlier === NONE) continue;
        const gap = place - before - 1;
        const score = earlier + HIT + bonus + (gap === 0 ? SIDE_BY_SIDE : -penalty(gap));
        if (score > (scores[cell] ?? NONE)) {
          scores[cell] = score;
          from[cell] = before;
        }
      }
    }
  }
  return walkedBack(scores, from, word.length, width);
}

function penalty(skipped: number): number {
  return Math.min(skipped, MOST_GAP) * GAP;
}

function walkedBack(
  scores: Float64Array,
  from: Int16Array,
  rows: number,
  width: number,
): FuzzyMatch | undefined {
  const last = (rows - 1) * width;
  let place = 0;
  for (let other = 0; other < width; other += 1) {
    if ((scores[last + other] ?? NONE) > (scores[last + place] ?? NONE)) place = other;
  }
  const score = scores[last + place] ?? NONE;
  if (score === NONE) return undefined;
  const at: number[] = [];
  for (let row = rows - 1; row >= 0; row -= 1) {
    at.push(place);
    place = from[row * width + place] ?? 0;
  }
  return { score, at: at.reverse() };
}

const LETTER = /[\p{L}\p{N}]/u;

function startBonus(text: string, place: number): number {
  if (place === 0) return WORD_START + TEXT_START;
  const before = text[place - 1] ?? '';
  const here = text[place] ?? '';
  if (!LETTER.test(before)) return WORD_START;
  return /\p{Ll}/u.test(before) && /\p{Lu}/u.test(here) ? WORD_START : 0;
}
