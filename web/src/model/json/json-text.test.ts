import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexJson, type JsonIndex, JsonKind, JsonScanner, StringDecoder } from './json-text.ts';

/** The value again, by way of the index. */
function rebuild(index: JsonIndex, node = 0): unknown {
  const children = [...index.children(node)];
  switch (index.kind[node]) {
    case JsonKind.Object:
      return Object.fromEntries(children.map((child) => [index.key(child), rebuild(index, child)]));
    case JsonKind.Array:
      return children.map((child) => rebuild(index, child));
    case JsonKind.String:
      return index.string(node);
    default:
      return JSON.parse(index.source(node));
  }
}

test('the index says what JSON.parse says', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, space) => {
      const text = JSON.stringify(JSON.parse(json), undefined, space);
      const index = indexJson(text);
      expect(index && JSON.stringify(rebuild(index))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('what the scanner refuses is no JSON', () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '1', 'x', ':', '\\'))
    .map(([json, at, noise]) => {
      const cut = at % (json.length + 1);
      return json.slice(0, cut) + noise + json.slice(cut + 1);
    });
  fc.assert(
    fc.property(damaged, (text) => {
      if (indexJson(text) === undefined) expect(() => JSON.parse(text)).toThrow();
    }),
  );
});

test.each(['', '{', '[1,]', '{"a":1,}', '{"a" 1}', '01', '1 2', 'nul', '"open', '[1}', '-'])(
  '%j is no JSON',
  (text) => {
    expect(indexJson(text)).toBeUndefined();
  },
);

test('digits are never lost', () => {
  const text = '{"id": 9007199254740993, "price": 1.10, "tiny": 1E-400}';
  const index = indexJson(text);
  const sources = index && [...index.children(0)].map((node) => index.source(node));
  expect(sources).toEqual(['9007199254740993', '1.10', '1E-400']);
});

test('reading in slices is the same as reading at once', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 1, max: 7 }), (text, budget) => {
      const scanner = new JsonScanner(text);
      let slices = 0;
      while (!scanner.advance(budget)) slices += 1;
      expect(slices).toBeLessThanOrEqual(text.length);
      const whole = indexJson(text);
      expect(scanner.index.count).toBe(whole?.count);
      expect(rebuild(scanner.index)).toEqual(whole && rebuild(whole));
    }),
  );
});

test('100 000 levels are read', () => {
  const depth = 100_000;
  expect(indexJson('['.repeat(depth) + ']'.repeat(depth))?.count).toBe(depth);
});

test('a path leads to the value', () => {
  const index = indexJson('{"messages": [{"content type": "a"}, {"x": null}]}');
  const paths = index && Array.from({ length: index.count }, (_, node) => index.path(node));
  expect(paths).toEqual([
    '$',
    '$.messages',
    '$.messages[0]',
    '$.messages[0]["content type"]',
    '$.messages[1]',
    '$.messages[1].x',
  ]);
});

test('the beginning of a long string never ends inside an escape', () => {
  const index = indexJson(JSON.stringify('ab\u0007😀\n'.repeat(40)));
  for (let limit = 2; limit < 60; limit += 1) {
    expect(
      'ab\u0007😀\n'
        .repeat(40)
        .startsWith(index?.string(0, limit).replace(/[\ud800-\udbff]$/, '') ?? '!'),
    ).toBe(true);
  }
});

test('a key is found again, whatever is in it', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: fc.constantFrom('"', '\\', ':', 'a', ' ') }), fc.nat()),
      fc.constantFrom(undefined, 1),
      (object, space) => {
        const index = indexJson(JSON.stringify(object, undefined, space));
        const keys = index && [...index.children(0)].map((node) => index.key(node));
        expect(keys).toEqual(Object.keys(object));
      },
    ),
  );
});

test('an element of a list has no key, whatever is before the list', () => {
  const index = indexJson('{"a": [1, {"b": ["x:", "y"]}]}');
  const keys = index && Array.from({ length: index.count }, (_, node) => index.key(node));
  expect(keys).toEqual([undefined, 'a', undefined, undefined, 'b', undefined, undefined]);
});

test('a string decoded in slices is the string', () => {
  const units = fc.constantFrom('\\', '"', '\n', '\u0001', 'a', '\ud83d', '\u2028', 'é', 'u');
  fc.assert(
    fc.property(fc.string({ unit: units, maxLength: 60 }), fc.nat(9), (value, budget) => {
      const index = indexJson(JSON.stringify([value]));
      if (index === undefined) throw new Error('no JSON');
      const decoder = new StringDecoder(index, 1);
      while (!decoder.advance(budget));
      expect(decoder.value).toBe(value);
    }),
  );
});
