import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accept, beginsField, complete, valueText } from './completion.ts';

const texts = (query: string, caret = query.length) =>
  complete(query, caret).suggestions.map((one) => one.text);

test.each([
  ['sta', ['status:', 'started:']],
  ['-tok', ['tokens>']],
  ['(too', ['tool_calls>', 'tool:']],
  ['status:fa', ['failed']],
  ['status:failed,ru', ['running']],
  ['engine:', ['asyncio', 'temporal', 'inbound', 'otlp']],
  ['span.status:e', ['error']],
  ['span.sta', ['span.status:', 'span.started:']],
  ['root:', ['yes', 'no']],
  ['title:x', []],
  ['"sta', []],
  ['"a b" sta', ['status:', 'started:']],
  ['@sta', []],
  ['status', ['status:']],
  ['', ['status:', 'title:', 'tool:', 'agent:', 'model:', 'errors>', 'duration>', 'started:']],
  ['status:failed ', []],
])('after %j may follow %j', (query, expected) => {
  expect(texts(query)).toEqual(expected);
});

test.each([
  ['st', true],
  ['status', true],
  ['lantern sta', true],
  ['span.sta', true],
  ['status:', false],
  ['status:fa', false],
  ['stx', false],
  ['"st', false],
  ['', false],
])('whether %j may still become a field: %j', (query, expected) => {
  expect(beginsField(query, query.length)).toBe(expected);
});

test('what is taken replaces the word at the caret only', () => {
  const query = 'kind:llm sta x';
  const at = complete(query, 12);
  const [first] = at.suggestions;
  expect(first).toBeDefined();
  if (first !== undefined) expect(accept(query, at, first)).toEqual(['kind:llm status: x', 16]);
});

test('a suggestion that was taken is not suggested again', () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      const at = complete(query, query.length);
      for (const one of at.suggestions) {
        const [text, caret] = accept(query, at, one);
        expect(complete(text, caret).suggestions.map((next) => next.text)).not.toContain(one.text);
      }
    }),
  );
});

test.each([
  ['tool:gi', { field: 'tool', begun: 'gi' }],
  ['-span.agent:', { field: 'span.agent', begun: '' }],
  ['status:fa', undefined],
  ['id:4b', undefined],
  ['tokens:1', undefined],
  ['nothing:1', undefined],
])('of %j the service is asked for values: %j', (query, expected) => {
  expect(complete(query, query.length).values).toEqual(expected);
});

test.each([
  ['git_log', 'git_log'],
  ['two words', '"two words"'],
  ['git_*', '"git_*"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
])('the value %j is written %j', (value, expected) => {
  expect(valueText(value)).toBe(expected);
});
