import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuzzyMatch, MAX_TEXT } from './fuzzy.ts';

const best = (query: string, ...texts: string[]) =>
  texts
    .map((text) => ({ text, match: fuzzyMatch(query, text) }))
    .filter(({ match }) => match !== undefined)
    .sort((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0))[0]?.text;

test('letters in their order are found with others between them', () => {
  expect(fuzzyMatch('nxer', 'Next error')?.at).toEqual([0, 2, 5, 6]);
  expect(fuzzyMatch('xn', 'Next')).toBeUndefined();
});

test('words may come in any order, and all of them must be there', () => {
  expect(fuzzyMatch('error next', 'Next error')).toBeDefined();
  expect(fuzzyMatch('next waiting', 'Next error')).toBeUndefined();
});

test('beginnings of words and whole pieces count more than scattered letters', () => {
  expect(best('al', 'Manual', 'Audit log', 'Zoom as all')).toBe('Audit log');
  expect(best('error', 'Every row or other', 'Next error')).toBe('Next error');
  expect(best('ses', 'Possess', 'Sessions')).toBe('Sessions');
  expect(best('gl', 'bigLog', 'getLog')).toBe('getLog');
});

test('nothing typed fits everything, and no text is too long', () => {
  expect(fuzzyMatch('', 'anything')?.at).toEqual([]);
  expect(fuzzyMatch('a', 'b'.repeat(1e6))).toBeUndefined();
  expect(fuzzyMatch('b'.repeat(1e6), 'b'.repeat(1e6))?.at.length).toBeLessThan(MAX_TEXT);
});

test('every subsequence is found, and what is marked spells it', () => {
  const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (all, included) => {
      const query = [...all].filter((one, at) => included[at] && one.trim() !== '').join('');
      const typed = query.slice(0, 48);
      const match = fuzzyMatch(typed, all);
      expect(match).toBeDefined();
      const marked = match?.at.map((at) => all[at]).join('');
      expect(marked?.toLowerCase()).toBe(typed.toLowerCase());
    }),
  );
});
