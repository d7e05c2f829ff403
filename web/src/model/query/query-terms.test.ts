import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOneSpan, mended, termValues, toggleTerm } from './query-terms.ts';

test('a value is added to its field, beside what else is asked', () => {
  expect(toggleTerm('', 'kind', 'tool')).toBe('kind:tool');
  expect(toggleTerm('"merge conflict"', 'kind', 'tool')).toBe('"merge conflict" kind:tool');
  expect(toggleTerm('kind:tool error', 'kind', 'llm')).toBe('kind:tool,llm error');
});

test('the last value takes its term away', () => {
  expect(toggleTerm('a kind:tool b', 'kind', 'tool')).toBe('a b');
  expect(toggleTerm('kind:tool,llm', 'kind', 'tool')).toBe('kind:llm');
});

test('what stands in quotes, in parentheses, negated or with a pattern is left alone', () => {
  for (const query of ['"kind:tool"', '(kind:tool OR x)', '-kind:tool', 'kind:t*']) {
    expect(termValues(query, 'kind')).toEqual([]);
    expect(toggleTerm(query, 'kind', 'llm')).toBe(`${query} kind:llm`);
  }
});

test('switching twice leaves the values as they were', () => {
  const value = fc.constantFrom('tool', 'llm', 'agent');
  const word = fc.constantFrom('merge', '"a b"', 'tokens>10k', '(a OR b)', '');
  fc.assert(
    fc.property(fc.array(word), fc.uniqueArray(value), value, (words, values, one) => {
      const term = values.length > 0 ? `kind:${values.join(',')}` : '';
      const query = [...words, term].join(' ');
      const twice = toggleTerm(toggleTerm(query, 'kind', one), 'kind', one);
      expect([...termValues(twice, 'kind')].sort()).toEqual([...values].sort());
    }),
  );
});

test('what was probably meant takes the place of what is wrong, counted in characters', () => {
  const wrong = { query: '"😀" statsu:failed', position: 4, length: 6 };
  expect(mended({ ...wrong, suggestion: 'status' })).toBe('"😀" status:failed');
  expect(mended({ ...wrong, suggestion: undefined })).toBeUndefined();
});

test('terms about spans become terms of one span, and the others stay beside it', () => {
  expect(inOneSpan('tool:fetch status:error')).toBe('span(tool:fetch status:error)');
  expect(inOneSpan('user:ada tool:"a b" "merge it" status:error')).toBe(
    'user:ada "merge it" span(tool:"a b" status:error)',
  );
});

test('nothing is offered where no two terms are about spans, or operators say how they belong', () => {
  for (const query of [
    '',
    'tool:fetch',
    'tool:fetch status:failed',
    'agent:a model:b',
    'tool:fetch OR status:error',
    '-tool:fetch status:error',
    'span(tool:fetch status:error)',
    'tool:fetch "status:error"',
  ]) {
    expect(inOneSpan(query)).toBeUndefined();
  }
});
