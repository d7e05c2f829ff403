/**
 * Invisible characters, and those that move visible ones: each is shown by its code point in a text
 * to approve. Marks that would grow over the neighbouring lines count too.
 *
 * Emoji keep their joiners and selectors. Runs written from right to left are separate pieces, so
 * that the view can isolate them and the text beside them keeps its place.
 */

import { CHARACTER_NAMES } from '../../texts.ts';

export type Piece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'rtl'; readonly text: string }
  /** A run of one hidden character. */
  | { readonly kind: 'hidden'; readonly code: number; readonly count: number };

const EMOJI =
  '\\p{Extended_Pictographic}\\p{EMod}?\\ufe0f?(?:\\u200d\\p{Extended_Pictographic}\\p{EMod}?\\ufe0f?){0,7}';
/** A fifth mark on one letter: more than any script has. */
const PILED_MARKS = '(?<=\\p{M}{4})\\p{M}';
const HIDDEN = `[\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\u2800]|(?!\\n)\\p{Cc}|(?! )\\p{Zs}|${PILED_MARKS}`;
const RTL_LETTER =
  '[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}\\p{Script=Adlam}\\u0700-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]';
const NOT_PLAIN = new RegExp(
  `(?<emoji>${EMOJI})|(?<hidden>${HIDDEN})|(?<rtl>${RTL_LETTER}+(?: ${RTL_LETTER}+)*)`,
  'gu',
);

/** Text in which nothing is hidden: almost every one, and the search below takes 30 times as long. */
const ORDINARY = /^[\n -~]+$/;

/**
 * Split a text into pieces that are shown as they are, and hidden ones. Joined, the pieces are the
 * text.
 */
export function piecesOf(text: string): Piece[] {
  if (ORDINARY.test(text)) return [{ kind: 'plain', text }];
  const pieces: Piece[] = [];
  let plainFrom = 0;
  const plainUntil = (end: number) => {
    if (end > plainFrom) pieces.push({ kind: 'plain', text: text.slice(plainFrom, end) });
  };
  for (const match of text.matchAll(NOT_PLAIN)) {
    const { hidden, rtl } = match.groups ?? {};
    if (hidden === undefined && rtl === undefined) continue;
    plainUntil(match.index);
    plainFrom = match.index + match[0].length;
    if (rtl !== undefined) pieces.push({ kind: 'rtl', text: rtl });
    else addHidden(pieces, hidden?.codePointAt(0) ?? 0);
  }
  plainUntil(text.length);
  return pieces;
}

function addHidden(pieces: Piece[], code: number): void {
  const last = pieces.at(-1);
  if (last?.kind === 'hidden' && last.code === code) {
    pieces[pieces.length - 1] = { ...last, count: last.count + 1 };
  } else pieces.push({ kind: 'hidden', code, count: 1 });
}

export interface HiddenPlace {
  /** Index in the text. */
  readonly at: number;
  readonly code: number;
}

/** The first hidden characters of a text, at most `limit`. */
export function hiddenPlaces(text: string, limit: number): HiddenPlace[] {
  const places: HiddenPlace[] = [];
  for (const match of text.matchAll(NOT_PLAIN)) {
    const hidden = match.groups?.['hidden'];
    if (hidden === undefined) continue;
    places.push({ at: match.index, code: hidden.codePointAt(0) ?? 0 });
    if (places.length >= limit) break;
  }
  return places;
}

/** One line with hidden characters written out, for a title or a notification. */
export function plainLine(text: string, limit = 120): string {
  const shown = piecesOf(beginningOf(text, 4 * limit).replace(SPACES, ' '))
    .map((piece) => (piece.kind === 'hidden' ? hiddenText(piece) : piece.text))
    .join('')
    .trim();
  const characters = Array.from(shown);
  return characters.length <= limit ? shown : `${characters.slice(0, limit - 1).join('')}…`;
}

const SPACES = /[^\S\ufeff\u2028\u2029]+/g;

function beginningOf(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
}

function hiddenText({ code, count }: { readonly code: number; readonly count: number }): string {
  return `[${codePointName(code)}${count > 1 ? ` × ${count}` : ''}]`;
}

/**
 * Characters that turn the direction of writing, act on a terminal, or have no shape in any script.
 * Joiners, selectors and wide spaces are left out: letters and emoji are made of them. A joiner
 * between Latin letters or none at all joins nothing.
 */
const NEVER_SEEN =
  /(?![\t\n\r])[\p{Cc}\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<=^|[\p{ASCII}\p{Script=Latin}])\u200d/u;
const EACH_NEVER_SEEN = new RegExp(NEVER_SEEN.source, 'gu');

/** The text with those characters written out as `[U+202E]`. */
export function seenText(text: string): string {
  if (!NEVER_SEEN.test(text)) return text;
  return text.replace(EACH_NEVER_SEEN, (char) => `[${codePointName(char.codePointAt(0) ?? 0)}]`);
}

/** Name of a code point: `U+202E`. */
export function codePointName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Effect of the character, in words; empty for those without a common name. */
export function describeHidden(code: number): string {
  return CHARACTER_NAMES.named[code] ?? rangeName(code);
}

function rangeName(code: number): string {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return CHARACTER_NAMES.control;
  if (code >= 0xd800 && code <= 0xdfff) return CHARACTER_NAMES.surrogate;
  if (code >= 0xe0000 && code <= 0xe0fff) return CHARACTER_NAMES.tag;
  if (code >= 0x2000 && code <= 0x205f) return CHARACTER_NAMES.space;
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0x300 && code <= 0x36f))
    return CHARACTER_NAMES.mark;
  return CHARACTER_NAMES.other;
}
