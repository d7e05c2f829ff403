import { array, assert, constantFrom, json, nat, property, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { formatJson } from '../json/json-format.ts';
import { codePieces, diffLineTokens, jsonLineTokens, lineTokens } from './code-tokens.ts';
import { loadLanguage } from './languages.ts';

const kinds = constantFrom('key' as const, 'string' as const);

test('whatever the tokens: the pieces of a range are its text', () => {
  const token = record({ from: nat(30), length: nat(10), kind: kinds });
  assert(
    property(string({ maxLength: 30 }), array(token), nat(30), nat(30), (text, drawn, one, two) => {
      const tokens = drawn
        .map(({ from, length, kind }) => ({ from, to: from + length, kind }))
        .sort((a, b) => a.from - b.from);
      const [from = 0, to = 0] = [one, two]
        .map((at) => at % (text.length + 1))
        .sort((a, b) => a - b);
      const pieces = codePieces(text, tokens, from, to);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text.slice(from, to));
    }),
  );
});

test('the tokens of a line of JSON are those that a parser of JSON finds', async () => {
  const parse = await loadLanguage('json');
  assert(
    property(json(), (text) => {
      const formatted = formatJson(text);
      if (!formatted.isJson) throw new Error('no JSON');
      expect(lineTokens(formatted.text, jsonLineTokens)).toEqual(parse?.(formatted.text));
    }),
  );
});

test('prose and code are no JSON', () => {
  for (const line of ['Done: 3', '"quoted" and more', 'if (x) {', '- "item"']) {
    expect(jsonLineTokens(line)).toEqual([]);
  }
});

test('code is read by its language, and what no language is known for is not', async () => {
  const parse = await loadLanguage('Python');
  const text = 'def pay(sum):  # now\n    return "x" + 1';
  const tokens = parse?.(text) ?? [];
  expect(tokens.map(({ from, to, kind }) => `${kind} ${text.slice(from, to)}`)).toEqual([
    'word def',
    'name pay',
    'comment # now',
    'word return',
    'string "x"',
    'number 1',
  ]);
  expect((await loadLanguage('tsx'))?.('const a: T = 1')[0]?.kind).toBe('word');
  expect(await loadLanguage('constructor')).toBeUndefined();
});

test('a patch shows what it adds and removes', () => {
  const lines = ['--- a/x', '+++ b/x', '@@ -1 +1 @@', '-old', '+new', ' same'];
  expect(lines.map((line) => diffLineTokens(line)[0]?.kind)).toEqual([
    'comment',
    'comment',
    'comment',
    'removed',
    'added',
    undefined,
  ]);
});
