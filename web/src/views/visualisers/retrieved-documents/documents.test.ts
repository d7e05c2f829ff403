import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SpanDetail } from '../../../api/types.ts';
import { documentsOf, hasDocuments } from './documents.ts';

const span = (attributes: Record<string, unknown>) => ({ attributes }) as unknown as SpanDetail;

describe('documents are read', () => {
  test('from flattened attributes, in order of their ranks', () => {
    const found = documentsOf(
      span({
        'retrieval.documents.10.document.content': 'last',
        'retrieval.documents.2.document.content': 'second',
        'retrieval.documents.2.document.score': '0.5',
        'retrieval.documents.0.document.id': 'a',
        'retrieval.documents.0.document.score': 0.9,
      }),
    );
    expect(found).toEqual([
      { id: 'a', content: undefined, score: 0.9 },
      { id: undefined, content: 'second', score: 0.5 },
      { id: undefined, content: 'last', score: undefined },
    ]);
  });

  test('from JSON, as text or as values', () => {
    const documents = [{ id: 7, content: 'x', score: 1 }, 'not a document', null];
    const expected = [{ id: '7', content: 'x', score: 1 }];
    const key = 'gen_ai.retrieval.documents';
    expect(documentsOf(span({ [key]: documents }))).toEqual(expected);
    expect(documentsOf(span({ [key]: JSON.stringify(documents) }))).toEqual(expected);
    expect(documentsOf(span({ [key]: '{ broken' }))).toEqual([]);
  });
});

test('a span without documents is not matched', () => {
  expect(hasDocuments(span({ 'retrieval.query': 'x' }))).toBe(false);
  expect(hasDocuments(span({ 'retrieval.documents.0.document.id': 'a' }))).toBe(true);
});

test('whatever the attributes are, reading them does not throw', () => {
  const keys = fc.constantFrom(
    'retrieval.documents.0.document.score',
    'retrieval.documents.0.document.__proto__',
    'reranker.output_documents.3.document.content',
    'gen_ai.retrieval.documents',
  );
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue()), (attributes) => {
      for (const { id, content, score } of documentsOf(span(attributes))) {
        expect(['string', 'undefined']).toContain(typeof id);
        expect(['string', 'undefined']).toContain(typeof content);
        expect(score === undefined || Number.isFinite(score)).toBe(true);
      }
    }),
  );
});
