/**
 * Fuzzy match: the typed letters in their order, with others between them; beginnings of words and
 * adjacent letters score highest.
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
/** Penalty for each skipped unit, and its limit. */
const GAP = 0.2;
const MOST_GAP = 12;
const NONE = -1e9;

/** Match every word of `query`, in any order; undefined when one is not there. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  const words = folded(query.slice(0, MAX_QUERY)).split(/\s+/).filter(Boolean);
  const within = folded(text.slice(0, MAX_TEXT));
  let score = 0;
  const at = new Set<number>();
  for (const word of words) {
    if (!isSubsequence(word, within)) return undefined;
    const found = bestPlaces(word, within, text);
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

function isSubsequence(word: string, text: string): boolean {
  let from = 0;
  for (let index = 0; index < word.length; index += 1) {
    const place = text.indexOf(word[index] ?? '', from);
    if (place < 0) return false;
    from = place + 1;
  }
  return true;
}

/** The indexes with the highest score, by dynamic programming over the word's letters. */
function bestPlaces(word: string, text: string, original: string): FuzzyMatch {
  const width = text.length;
  const scores = new Float64Array(word.length * width).fill(NONE);
  const from = new Int16Array(word.length * width).fill(-1);
  for (let row = 0; row < word.length; row += 1) {
    for (let place = row; place < width; place += 1) {
      if (text[place] !== word[row]) continue;
      const own = HIT + startBonus(original, place);
      const cell = row * width + place;
      if (row === 0) {
        scores[cell] = own - Math.min(place, MOST_GAP) * GAP;
        continue;
      }
      for (let before = row - 1; before < place; before += 1) {
        const earlier = scores[(row - 1) * width + before] ?? NONE;
        if (earlier === NONE) continue;
        const gap = place - before - 1;
        const joined = gap === 0 ? SIDE_BY_SIDE : -Math.min(gap, MOST_GAP) * GAP;
        if (earlier + own + joined > (scores[cell] ?? NONE)) {
          scores[cell] = earlier + own + joined;
          from[cell] = before;
        }
      }
    }
  }
  return walkedBack(scores, from, word.length, width);
}

function walkedBack(
  scores: Float64Array,
  from: Int16Array,
  rows: number,
  width: number,
): FuzzyMatch {
  const last = (rows - 1) * width;
  let place = 0;
  for (let other = 0; other < width; other += 1) {
    if ((scores[last + other] ?? NONE) > (scores[last + place] ?? NONE)) place = other;
  }
  const score = scores[last + place] ?? NONE;
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
