import {
  array,
  assert,
  constantFrom,
  letrec,
  nat,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { expect, test } from 'vitest';
import { formatBeginning, formatJson, placeOf } from './json-format.ts';

/** Strings and everything else that is not white space, in order. */
function tokens(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[^\s",:[\]{}]+|[,:[\]{}]/gu) ?? [];
}

const shown = (text: string) => {
  const formatted = formatJson(text);
  if (!formatted.isJson) throw new Error(`${formatted.what} at ${formatted.at}`);
  return formatted.text;
};

const scalar = oneof(
  constantFrom(
    '9007199254740993',
    '1e400',
    '-0',
    '1.0',
    '1E+2',
    'true',
    'null',
    '12345678901234567890.5',
  ),
  string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  constantFrom('"\\u202e\\ud800"', '"\\/"', '" { , } "', '"__proto__"'),
);
const space = constantFrom('', ' ', '\n', '\t\r\n  ');
/** JSON text with any white space, and with keys that are there twice. */
const { document } = letrec<{ document: string; value: string }>((tie) => ({
  value: oneof({ maxDepth: 5, depthSize: 'small' }, scalar, tie('document')),
  document: oneof(
    { maxDepth: 5, depthSize: 'small' },
    scalar,
    record({ items: array(tie('value'), { maxLength: 4 }), gap: space }).map(
      ({ items, gap }) => `${gap}[${gap}${items.join(`${gap},${gap}`)}${gap}]${gap}`,
    ),
    record({
      members: array(
        record({ key: constantFrom('a', '', '__proto__', '\u200b'), value: tie('value') }),
        {
          maxLength: 4,
        },
      ),
      gap: space,
    }).map(
      ({ members, gap }) =>
        `{${gap}${members
          .map(({ key, value }) => `${JSON.stringify(key)}${gap}:${gap}${value}`)
          .join(`${gap},`)}${gap}}`,
    ),
  ),
}));

test('only white space outside of strings is changed', () => {
  assert(
    property(document, (text) => {
      const formatted = shown(text);
      expect(tokens(formatted)).toEqual(tokens(text));
      expect(shown(formatted)).toBe(formatted);
    }),
  );
});

test('a text is JSON when the browser says so', () => {
  const scrap = constantFrom(
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '1',
    '-',
    '.',
    'e',
    '\\',
    'u00',
    'true',
    ' ',
    '\n',
    '\u0001',
    "'",
    'NaN',
    '01',
  );
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  assert(
    property(
      oneof(
        array(scrap, { maxLength: 12 }).map((all) => all.join('')),
        document,
      ),
      (text) => {
        expect(formatJson(text).isJson).toBe(isJson(text));
      },
    ),
    { numRuns: 3000 },
  );
});

test('a document that lost or gained a character is JSON only when the browser says so', () => {
  assert(
    property(document, (text) => {
      for (let at = 0; at < Math.min(text.length, 40); at += 1) {
        const without = text.slice(0, at) + text.slice(at + 1);
        let isJson = true;
        try {
          JSON.parse(without);
        } catch {
          isJson = false;
        }
        expect(formatJson(without).isJson).toBe(isJson);
      }
    }),
  );
});

test('numbers stay as they are written, and a key that is there twice is there twice', () => {
  const text = '{"id":9007199254740993,"huge":1e400,"one":1.0,"a":1,"a":2,"none":{},"list":[]}';
  expect(shown(text)).toBe(
    [
      '{',
      '  "id": 9007199254740993,',
      '  "huge": 1e400,',
      '  "one": 1.0,',
      '  "a": 1,',
      '  "a": 2,',
      '  "none": {},',
      '  "list": []',
      '}',
    ].join('\n'),
  );
});

test('a text that is nested without end, and a long string, are laid out', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(shown(deep).replace(/\s/g, '')).toBe(deep);
  const long = JSON.stringify({ content: `${'"\\ é😀'.repeat(40_000)}` });
  expect(tokens(shown(long))).toEqual(tokens(long));
});

test.each([
  ['{"a": 1,}', 1, 9],
  ['{\n  "a": "x\n}', 2, 10],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['[1, 02]', 1, 6],
  ['', 1, 1],
  ['{"a": "never ends', 1, 7],
])('the mistake in %j is at line %i, column %i', (text, line, column) => {
  const formatted = formatJson(text);
  if (formatted.isJson) throw new Error('it is JSON');
  expect(placeOf(text, formatted.at)).toEqual({ line, column });
});

test.each([
  ['{"a":1,"b":{"a":2}}', undefined],
  ['{"a":1,"b":2,"a":3}', 13],
  ['[{"a":1},{"a":2}]', undefined],
  ['{"a":1,"\\u0061":2}', 7],
  ['{"__proto__":1,"constructor":2}', undefined],
])('of %s it is said where a key is there twice', (text, twice) => {
  const formatted = formatJson(text);
  expect(formatted.isJson && formatted.twice).toBe(twice);
});

test('a text that is cut anywhere is formatted as far as it goes', () => {
  assert(
    property(document, nat(), (text, place) => {
      const beginning = formatBeginning(text.slice(0, place % (text.length + 1)));
      expect(shown(text).startsWith(beginning?.trimEnd() ?? '(none)')).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(formatBeginning('{"a": 1} and more')).toBeUndefined();
});
