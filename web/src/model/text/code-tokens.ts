/** Tokens of code by kind, to be shown in colours; what is in none stays as it is. */

export type TokenKind =
  | 'key'
  | 'string'
  | 'number'
  /** Words of the language. */
  | 'word'
  /** Names of functions and types. */
  | 'name'
  | 'comment'
  | 'added'
  | 'removed';

export interface CodeToken {
  readonly from: number;
  readonly to: number;
  readonly kind: TokenKind;
}

/** A text, and the kind of token that it is part of. */
export interface CodePiece {
  readonly text: string;
  readonly kind: TokenKind | undefined;
}

/** A range of a text in pieces, by its tokens in order. */
export function codePieces(
  text: string,
  tokens: readonly CodeToken[],
  from = 0,
  to = text.length,
): readonly CodePiece[] {
  const pieces: CodePiece[] = [];
  let at = from;
  const add = (until: number, kind: TokenKind | undefined) => {
    if (until > at) pieces.push({ text: text.slice(at, until), kind });
    at = Math.max(at, until);
  };
  for (const token of tokens) {
    if (token.to <= at) continue;
    if (token.from >= to) break;
    add(token.from, undefined);
    add(Math.min(token.to, to), token.kind);
  }
  add(to, undefined);
  return pieces;
}

/** Limit of a line that is read for tokens. */
const MAX_LINE = 2000;
const STRING = /"(?:[^"\\]|\\.)*"/.source;
/** A line of formatted JSON: a member or an item, or a part of a bracket. */
const JSON_LINE = new RegExp(
  `^\\s*(?:(${STRING})\\s*:\\s*)?(?:(${STRING})|(-?\\d[\\d.eE+-]*)|(true|false|null)|[[{]\\s*[\\]}]?|[\\]}])?,?\\s*$`,
);

/**
 * Tokens of a line of JSON as `formatJson` writes it, where no token goes over a line; none for a
 * line of anything else.
 */
export function jsonLineTokens(line: string): readonly CodeToken[] {
  const found = line.length > MAX_LINE ? null : JSON_LINE.exec(line);
  if (found === null) return [];
  const [, key, string, number, word] = found;
  const tokens: CodeToken[] = [];
  let at = 0;
  const add = (text: string | undefined, kind: TokenKind) => {
    if (text === undefined) return;
    const from = line.indexOf(text, at);
    at = from + text.length;
    tokens.push({ from, to: at, kind });
  };
  add(key, 'key');
  add(string, 'string');
  add(number, 'number');
  add(word, 'word');
  return tokens;
}

/** Tokens of every line of a text, by the tokens of one. */
export function lineTokens(
  text: string,
  tokensOf: (line: string) => readonly CodeToken[],
): readonly CodeToken[] {
  const tokens: CodeToken[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    for (const { from, to, kind } of tokensOf(line)) {
      tokens.push({ from: start + from, to: start + to, kind });
    }
    start += line.length + 1;
  }
  return tokens;
}

/** A line of a patch: added, removed, or about where it is. */
export function diffLineTokens(line: string): readonly CodeToken[] {
  const kind = /^(?:diff |index |@@|\+\+\+ |--- )/.test(line)
    ? 'comment'
    : line.startsWith('+')
      ? 'added'
      : line.startsWith('-')
        ? 'removed'
        : undefined;
  return kind === undefined ? [] : [{ from: 0, to: line.length, kind }];
}
