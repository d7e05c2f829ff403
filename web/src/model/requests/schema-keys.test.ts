import { expect, test } from 'vitest';
import { keysAt } from './schema-keys.ts';

const SCHEMA = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'What to delete.' },
    items: { type: 'array', items: { $ref: '#/$defs/Item' } },
    mode: { anyOf: [{ enum: ['soft', 'hard'] }, { type: 'null' }] },
  },
  $defs: {
    Item: {
      allOf: [{ properties: { id: { type: 'integer' } } }],
      properties: { next: { $ref: '#/$defs/Item' } },
    },
  },
};

const names = (path: readonly (string | null)[], schema: unknown = SCHEMA) =>
  keysAt(schema, path).map(({ key }) => key);

test('keys of an object have their type, and whether they are required', () => {
  expect(keysAt(SCHEMA, [])[0]).toEqual({
    key: 'path',
    type: 'string',
    description: 'What to delete.',
    isRequired: true,
  });
  expect(names([])).toEqual(['path', 'items', 'mode']);
});

test('a place inside lists and references is found, however often a schema refers to itself', () => {
  expect(names(['items', null])).toEqual(['next', 'id']);
  expect(names(['items', null, 'next', 'next'])).toEqual(['next', 'id']);
  const loop = { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } };
  expect(names([], loop)).toEqual([]);
});

test('of what is no schema, and of names of every object, there are no keys', () => {
  for (const schema of [null, 'x', [], { properties: 3 }, { properties: { a: true } }]) {
    expect(names(['constructor'], schema)).toEqual([]);
  }
});
