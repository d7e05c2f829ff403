/** What is a secret, by the rules of the Python side. Pure. */

import {
  OUTCOMES,
  PUBLIC_TOKENS,
  REDACTED,
  RULES,
  type Rule,
  SECRET_KEYS,
  SECRET_SUFFIXES,
  SIGNS,
} from './rules.gen.js';

const MAX_NAME_CHARS = 64;
const MAX_REMEMBERED = 2_048;
const NAME_CHAR = /[A-Za-z0-9_.-]/;
const NAME_HERE = /[A-Za-z0-9_.-]{1,128}/y;
const LETTERS_BEFORE = /[A-Za-z0-9]*$/;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

const secretKeys = new Set(SECRET_KEYS);
const publicTokens = new Set(PUBLIC_TOKENS);
const outcomes = new Set(OUTCOMES);

/** Return `text` with every secret replaced by `[redacted]`; idempotent. */
export function scrubbed(text: string): string {
  let lowered = text.toLowerCase();
  if (lowered.length !== text.length) {
    // A few capitals are two letters when they are small.
    lowered = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }
  const places: [number, number][] = [];
  for (const rule of RULES) {
    if (rule.gate && ![...rule.gate].some((char) => text.includes(char))) continue;
    const searched = rule.isAnyCase ? lowered : text;
    if (searched.includes(rule.stem)) collect(rule, text, searched, places);
  }
  if (places.length === 0) return text;
  places.sort(([a, aEnd], [b, bEnd]) => a - b || aEnd - bEnd);
  let result = '';
  let done = 0;
  for (const [start, end] of places) {
    if (start > done || result === '') result += text.slice(done, start) + REDACTED;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}

function collect(rule: Rule, text: string, searched: string, places: [number, number][]): void {
  const { pattern } = rule;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(searched); match !== null; match = pattern.exec(searched)) {
    const group = rule.groups.find(([number]) => match?.[number] !== undefined);
    if (rule.isNamed && !namesSecret(text, match, group?.[1])) {
      pattern.lastIndex = match.index + rule.stem.length;
      continue;
    }
    const [start, end] = placeOf(rule, searched, match, group?.[0]);
    if (SIGNS.includes(rule.stem)) {
      const before = LETTERS_BEFORE.exec(text.slice(Math.max(start - 10, 0), start));
      places.push([start - (before?.[0].length ?? 0), end]);
    } else {
      places.push([start, end]);
    }
  }
}

const withPlaces = new Map<Rule, RegExp>();

/** Return where a group is. Asked for with each match, it would take several times as long. */
function placeOf(
  rule: Rule,
  searched: string,
  match: RegExpExecArray,
  group: number | undefined,
): [number, number] {
  const whole: [number, number] = [match.index, match.index + match[0].length];
  if (group === undefined) return whole;
  let pattern = withPlaces.get(rule);
  if (pattern === undefined) {
    pattern = new RegExp(rule.pattern.source, 'dy');
    withPlaces.set(rule, pattern);
  }
  pattern.lastIndex = match.index;
  return pattern.exec(searched)?.indices?.[group] ?? whole;
}

/** Return whether a match begins in the name of a secret. */
function namesSecret(text: string, match: RegExpExecArray, group: string | undefined): boolean {
  const place = match.index;
  let begin = place;
  const first = Math.max(place - MAX_NAME_CHARS, 0);
  while (begin > first && NAME_CHAR.test(text[begin - 1] ?? '')) begin -= 1;
  NAME_HERE.lastIndex = begin;
  const name = NAME_HERE.exec(text)?.[0];
  if (name === undefined || (outcomes.has(name) && group === 'bare')) return false;
  return isSecretKey(name.slice(name.lastIndexOf('.') + 1));
}

const known = new Map<string, boolean>();

/** Return whether `key` names a secret (`api_key`, not `max_tokens`). */
export function isSecretKey(key: string): boolean {
  let found = known.get(key);
  if (found === undefined) {
    found = namesASecret(key);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, found);
  }
  return found;
}

function namesASecret(key: string): boolean {
  if (key.includes('…')) return false; // cut: the whole name is unknown
  const name = key
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/[0-9]+$/, '');
  if (secretKeys.has(name) || SECRET_SUFFIXES.some((suffix) => name.endsWith(suffix))) return true;
  const words = (key.match(WORD) ?? []).map((word) => word.toLowerCase());
  if (words.length < 2) return false;
  if (words.at(-1) === 'token') return !publicTokens.has(words.at(-2) ?? '');
  return words.at(-1) === 'pass';
}

/** Return whether a dotted key's last part is secret; `mcp.progress.token` is a position. */
export function isSecretAttribute(key: string): boolean {
  const name = key.slice(key.lastIndexOf('.') + 1);
  return isSecretKey(name) && (name !== 'token' || isSecretKey(key));
}

/** Return whether a word of a command line is followed by a secret (`--api-key`). */
export function isSecretFlag(word: unknown): boolean {
  return typeof word === 'string' && word.startsWith('-') && word.length <= 64 && isSecretKey(word);
}
