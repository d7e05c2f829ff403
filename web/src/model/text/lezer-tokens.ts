/** Tokens of a text by a parser of Lezer. Loaded with the first code that is shown. */
import type { Parser } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import type { CodeToken, TokenKind } from './code-tokens.ts';

const { string, special, variableName, propertyName, definition, function: called } = tags;

const KINDS = tagHighlighter(
  (
    [
      ['key', [propertyName, definition(propertyName), tags.attributeName]],
      ['string', [string, special(string), tags.regexp, tags.character, tags.escape]],
      ['number', [tags.number]],
      ['word', [tags.keyword, tags.bool, tags.null, tags.atom, tags.self, tags.meta]],
      [
        'name',
        [
          called(variableName),
          called(propertyName),
          called(definition(variableName)),
          definition(tags.className),
          tags.className,
          tags.typeName,
          tags.tagName,
        ],
      ],
      ['comment', [tags.comment]],
    ] as const
  ).map(([kind, tag]) => ({ tag: [...tag], class: kind satisfies TokenKind })),
);

/** Tokens in order; of a text with mistakes as far as it can be read. */
export function lezerTokens(parser: Parser, text: string): readonly CodeToken[] {
  const tokens: CodeToken[] = [];
  highlightTree(parser.parse(text), KINDS, (from, to, kind) => {
    tokens.push({ from, to, kind: kind as TokenKind });
  });
  return tokens;
}
