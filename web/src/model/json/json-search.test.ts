import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonSearch, MAX_FOUND, nodeAt } from './json-search.ts';
import { indexJson, type JsonIndex } from './json-text.ts';

function read(text: string): JsonIndex {
  const index = indexJson(text);
  if (index === undefined) throw new Error('no JSON');
  return index;
}

function paths(text: string, word: string, budget = 1e6): string[] {
  const index = read(text);
  const search = new JsonSearch(index, 0, word);
  while (!search.advance(budget));
  return search.found.map((node) => index.path(node));
}

test('a word is found in keys and in values, whatever its case', () => {
  const text =
    '{"needle": 1, "a": {"Needle": [2, "no NEEDLE here"]}, "b": {}, "needles": {"c": 3}}';
  expect(paths(text, 'needle')).toEqual(['$.needle', '$.a.Needle', '$.a.Needle[1]', '$.needles']);
});

test('what JSON escapes is found as one types it', () => {
  expect(paths('{"a": "C:\\\\temp", "b": "say \\"hi\\""}', 'c:\\temp')).toEqual(['$.a']);
  expect(paths('{"a": "C:\\\\temp", "b": "say \\"hi\\""}', '"hi"')).toEqual(['$.b']);
  expect(paths('["(a+b)*"]', '(a+b)*')).toEqual(['$[0]']);
});

test('in slices as much is found as at once', () => {
  const words = fc.constantFrom('ab', 'abab', '1', '"', 'b');
  const texts = fc
    .array(fc.record({ ab: fc.stringMatching(/^[ab1"]{0,9}$/) }))
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(texts, words, fc.integer({ min: 1, max: 9 }), (text, word, budget) => {
      expect([...new Set(paths(text, word, budget))]).toEqual([...new Set(paths(text, word))]);
    }),
  );
});

test('each character belongs to the value or the key that stands there', () => {
  const index = read('{"a": [10, "bc"], "d": {"e": null}}');
  const whose = (at: string) => index.path(nodeAt(index, index.text.indexOf(at)));
  expect(['"a"', '10', 'bc', '"d"', '"e"', 'null'].map(whose)).toEqual([
    '$.a',
    '$.a[0]',
    '$.a[1]',
    '$.d',
    '$.d.e',
    '$.d.e',
  ]);
});

test('what is everywhere is listed up to a bound', () => {
  const index = read(`[${'1,'.repeat(2 * MAX_FOUND)}1]`);
  const search = new JsonSearch(index, 0, '1');
  expect(search.advance(1e9)).toBe(true);
  expect([search.found.length, search.isFull]).toEqual([MAX_FOUND, true]);
});
