import { assert, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { beginningOf, partsOf } from './text-parts.ts';

const isHalved = (text: string) => /\p{Cs}/u.test(text);

test('the parts of a text are the text, none too long, none cut inside a character', () => {
  assert(
    property(
      string({ unit: 'binary', maxLength: 300 }),
      integer({ min: 2, max: 50 }),
      (text, size) => {
        const parts = partsOf(text, size).map(({ from, to }) => text.slice(from, to));
        expect(parts.join('')).toBe(text);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(size);
          if (!isHalved(text)) expect(isHalved(part)).toBe(false);
        }
      },
    ),
  );
});

test('lines stay whole where they are short', () => {
  const text = 'one\ntwo\nthree\nfour\n';
  expect(partsOf(text, 10).map(({ from, to }) => text.slice(from, to))).toEqual([
    'one\ntwo\n',
    'three\n',
    'four\n',
  ]);
});

test('the beginning of a text is all of a short one, and no more than is read at a glance', () => {
  assert(
    property(
      string({ unit: 'binary', maxLength: 200 }),
      integer({ min: 1, max: 200 }),
      (one, n) => {
        const text = one.repeat(n);
        const beginning = text.slice(0, beginningOf(text));
        expect(beginning.length).toBeLessThanOrEqual(6000);
        expect(beginning.split('\n').length).toBeLessThanOrEqual(61);
        const isShort = text.length <= 6000 && text.split('\n').length <= 60;
        if (isShort) expect(beginning).toBe(text);
        if (!isHalved(text)) expect(isHalved(beginning)).toBe(false);
      },
    ),
  );
});
