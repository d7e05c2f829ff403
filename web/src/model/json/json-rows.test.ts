import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GROUP, JsonRows } from './json-rows.ts';
import { indexJson } from './json-text.ts';

const LONG = 2 * GROUP + 5;

test('a folded container hides all that is in it', () => {
  const index = indexJson('{"a": {"b": [1, 2]}, "c": 3}');
  if (index === undefined) throw new Error('no JSON');
  const shown = new JsonRows(index, 0).visible((node) => node === 0);
  expect(shown.map((node) => index.path(node))).toEqual(['$', '$.a', '$.c']);
});

test('many children are in groups, which open like containers', () => {
  const index = indexJson(`{"list": [${Array.from({ length: LONG }, (_, n) => `[${n}]`)}]}`);
  if (index === undefined) throw new Error('no JSON');
  const rows = new JsonRows(index, 0);
  const groups = rows.visible((row) => row >= 0).slice(2);
  expect(groups.map((row) => rows.range(row))).toEqual([
    [0, GROUP - 1],
    [GROUP, 2 * GROUP - 1],
    [2 * GROUP, LONG - 1],
  ]);
  const second = rows.visible((row) => row === 0 || row === 1 || row === groups[1]);
  expect(second).toHaveLength(2 + 3 + GROUP);
  expect(rows.depth(groups[1] ?? 0)).toBe(2);
  expect(rows.depth(second[4] ?? 0)).toBe(3);
});

test('with everything open each node is there once, in order', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const index = indexJson(text);
      if (index === undefined) throw new Error('no JSON');
      const rows = new JsonRows(index, 0).visible(() => true);
      expect(rows).toEqual(Array.from({ length: index.count }, (_, node) => node));
    }),
  );
});

test('to open what is above a node is to see it', () => {
  const inner = `[${Array.from({ length: LONG }, (_, n) => n)}]`;
  const index = indexJson(`{"a": [${inner}, {"b": ${inner}}], "c": 1}`);
  if (index === undefined) throw new Error('no JSON');
  const rows = new JsonRows(index, 0);
  fc.assert(
    fc.property(fc.nat(index.count - 1), (node) => {
      const open = new Set(rows.above(node));
      expect(rows.visible((row) => open.has(row))).toContain(node);
    }),
  );
});
