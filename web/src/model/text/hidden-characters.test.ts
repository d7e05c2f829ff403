import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenPlaces, piecesOf, plainLine, seenText } from './hidden-characters.ts';

const hidden = (text: string) =>
  piecesOf(text)
    .filter((piece) => piece.kind === 'hidden')
    .map((piece) =>
      piece.count > 1 ? `${piece.code.toString(16)}×${piece.count}` : piece.code.toString(16),
    );

test('together the pieces are the text', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 60 }), (text) => {
      const again = piecesOf(text)
        .map((piece) =>
          piece.kind === 'hidden'
            ? String.fromCodePoint(piece.code).repeat(piece.count)
            : piece.text,
        )
        .join('');
      expect(again).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['a\u202egnp.exe', ['202e']],
  ['no\u200bwhere\ufeff', ['200b', 'feff']],
  ['\u0000\u001b[31m\u0085', ['0', '1b', '85']],
  ['a\u00a0b\u3000c', ['a0', '3000']],
  ['\u{e0041}\u{e0042}', ['e0041', 'e0042']],
  ['soft\u00adhyphen', ['ad']],
  ['\u2066\u2069\u2028\u2029', ['2066', '2069', '2028', '2029']],
  ['\u3164\u2800\u115f', ['3164', '2800', '115f']],
  ['x'.concat('\u200b'.repeat(5000)), ['200b×5000']],
  ['\ud800 alone', ['d800']],
])('what is not seen in %j is told', (text, codes) => {
  expect(hidden(text)).toEqual(codes);
});

test.each(['{\n  "a": "ä ß 漢字 ñ"\n}', 'é e\u0301', '👩‍👩‍👧 ❤️ 👍🏽', 'नमस्ते'])(
  'what is seen in %j stays',
  (text) => {
    expect(hidden(text)).toEqual([]);
  },
);

test('marks that are piled up do not grow over the lines around them', () => {
  expect(hidden(`a${'\u0301'.repeat(40)}`)).toEqual(['301×36']);
});

test('what is written from right to left is told apart, word order kept', () => {
  expect(piecesOf('"שלום עולם", 1')).toEqual([
    { kind: 'plain', text: '"' },
    { kind: 'rtl', text: 'שלום עולם' },
    { kind: 'plain', text: '", 1' },
  ]);
});

test('places of hidden characters are counted up to a limit', () => {
  expect(hiddenPlaces('a\u200bb\u200bc', 1)).toEqual([{ at: 1, code: 0x200b }]);
});

test('a line for a title tells what is hidden and is short', () => {
  expect(plainLine('a\u202eb\n\tc\u200b')).toBe('a[U+202E]b c[U+200B]');
  expect(plainLine('\ufeff\0\0a\u00a0b')).toBe('[U+FEFF][U+0000 × 2]a b');
  expect(plainLine(`${'x'.repeat(39)}😀`, 10)).toBe(`${'x'.repeat(9)}…`);
  expect(plainLine('x'.repeat(500), 10)).toBe(`${'x'.repeat(9)}…`);
});

test('a joiner is spelled out where it joins nothing', () => {
  expect(seenText('re\u200dad')).toBe('re[U+200D]ad');
  expect(seenText('\u200dread')).toBe('[U+200D]read');
  for (const joined of ['👩‍👩‍👧', '❤️‍🔥', '👩🏽‍💻', 'क्‍ष']) expect(seenText(joined)).toBe(joined);
});
