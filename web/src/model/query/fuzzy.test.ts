import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuzzyMatch, MAX_TEXT } from './fuzzy.ts';

const best = (query: string, ...texts: string[]) =>
  texts
    .map((text) => ({ text, match: fuzzyMatch(query, text) }))
    .filter(({ match }) => match !== undefined)
    .sort((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0))[0]?.text;

test('pieces that begin words are found, and a piece within a word', () => {
  expect(fuzzyMatch('ner', 'Next error')?.at).toEqual([0, 5, 6]);
  expect(fuzzyMatch('getlo', 'tool: getLog')?.at).toEqual([6, 7, 8, 9, 10]);
  expect(fuzzyMatch('ror', 'Next error')?.at).toEqual([7, 8, 9]);
});

test('scattered letters are no match', () => {
  const long = 'Tell the team how the release went, then make a list of everyone';
  expect(fuzzyMatch('theme', long)).toBeUndefined();
  expect(fuzzyMatch('ther', 'Then he eats rice', true)).toBeUndefined();
  expect(fuzzyMatch('log', 'catalog, audit log', true)?.at).toEqual([15, 16, 17]);
  expect(fuzzyMatch('nxer', 'Next error')).toBeUndefined();
  expect(fuzzyMatch('xterr', 'Next error')).toBeUndefined();
  expect(fuzzyMatch('ne', `Note ${'of all that was seen '.repeat(2)}eagerly`)).toBeUndefined();
});

test('words may come in any order, and all of them must be there', () => {
  expect(fuzzyMatch('error next', 'Next error')).toBeDefined();
  expect(fuzzyMatch('next waiting', 'Next error')).toBeUndefined();
});

test('beginnings of words and whole pieces count more than scattered letters', () => {
  expect(best('al', 'Manual', 'Audit log', 'Zoom as all')).toBe('Audit log');
  expect(best('ne', 'Manner', 'Needle', 'No error')).toBe('Needle');
  expect(best('ses', 'Possess', 'Sessions')).toBe('Sessions');
  expect(best('gl', 'bigLog', 'getLog')).toBe('getLog');
});

test('nothing typed fits everything, and no text is too long', () => {
  expect(fuzzyMatch('', 'anything')?.at).toEqual([]);
  expect(fuzzyMatch('a', 'b'.repeat(1e6))).toBeUndefined();
  expect(fuzzyMatch('b'.repeat(1e6), 'b'.repeat(1e6))?.at.length).toBeLessThan(MAX_TEXT);
});

test('every piece is found, and what is marked spells it', () => {
  const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.nat(59), fc.nat(59), (all, one, other) => {
      const piece = all.slice(Math.min(one, other), Math.max(one, other) + 1);
      const typed = (piece.match(/\S+/)?.[0] ?? '').slice(0, 48);
      const match = fuzzyMatch(typed, all);
      expect(match).toBeDefined();
      const marked = match?.at.map((at) => all[at]).join('');
      expect(marked?.toLowerCase()).toBe(typed.toLowerCase());
    }),
  );
});
