import { expect, test } from 'vitest';

import { edited, isStill, show } from '../src/control/arguments.js';
import { canonical, parsed } from '../src/control/exact-json.js';

const text = (value: unknown) => canonical(value, 2 ** 20);
const parse = (json: string) => parsed(json, 2 ** 20);

test('keys are sorted by UTF-16, and nothing is lost', () => {
  expect(text({ b: [1, 0.1, -0, null], a: { é: 'x\u2028', z: true } })).toBe(
    '{"a":{"z":true,"é":"x\u2028"},"b":[1,0.1,-0,null]}',
  );
  expect(text({ gone: undefined })).toBe('{}');
  expect(parse(text('\ud800'))).toBe('\ud800');
});

test.each([
  [new Date(0), /Date/],
  [new Map(), /Map/],
  [{ n: Number.NaN }, /NaN/],
  [{ n: 2 ** 53 }, /9007199254740992/],
  [{ n: 1n }, /bigint/],
  [[undefined], /undefined/],
  [{ f: () => 1 }, /function/],
])('%s has no exact text', (value, reason) => {
  expect(() => text(value)).toThrow(reason);
  const view = show(value);
  expect(view.json).toBeNull();
  expect(view.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(isStill(view, value)).toBe(true);
  expect(isStill(view, 'something else')).toBe(false);
});

test('a cycle has no exact text', () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  expect(() => text(ring)).toThrow(/deeper/);
  expect(show(ring).text).toContain('Circular');
});

test.each([
  ['{"a": 9007199254740993}', /cannot represent 9007199254740993 exactly/],
  ['[9007199254740992]', /exactly/],
  ['[0.12345678901234567890]', /exactly/],
  ['[1e400]', /too large/],
  ['{"a": 1, "a": 2}', /duplicated/],
  ['{"a": 1, "\\u0061": 2}', /duplicated/],
  ['[NaN]', /not JSON/],
  [`${'['.repeat(101)}${']'.repeat(101)}`, /deeper/],
])('the edit %s is refused', (json, reason) => {
  expect(() => parse(json)).toThrow(reason);
});

test.each([
  ['[0.1, 1.0, 1e21, -0, 9007199254740991, 1E-7]', [0.1, 1, 1e21, -0, 9007199254740991, 1e-7]],
  [
    '{"a": {"a": "a\\"{[,:"}, "b": [{"a": 1}, {"a": 1}]}',
    { a: { a: 'a"{[,:' }, b: [{ a: 1 }, { a: 1 }] },
  ],
])('the edit %s is taken', (json, value) => {
  expect(parse(json)).toEqual(value);
});

test('an edit that changes nothing leaves the same object, and the kind stays', () => {
  const args = { path: '/tmp/a', n: 1 };
  const view = show(args);
  expect(edited(view, args, '{"n": 1.0, "path": "/tmp/a"}')).toBe(args);
  expect(() => edited(view, args, '[1]')).toThrow(/object/);
  expect(() => edited(show(new Date(0)), new Date(0), '{}')).toThrow(/cannot be edited/);
});
