import { array, assert, nat, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { PartedText } from './parted-text.ts';

const long = `${'a line\n'.repeat(6000)}${'x'.repeat(70_000)}\n${'b'.repeat(40)}\n`.repeat(3);

test('a short text is one part, a long one many, and together they are the text', () => {
  expect(new PartedText('short').count).toBe(1);
  const parted = new PartedText(long);
  expect(parted.count).toBeGreaterThan(10);
  expect(parted.whole).toBe(long);
});

test('edits of parts are edits of the whole', () => {
  assert(
    property(array(tuple(nat(), string()), { maxLength: 5 }), (edits) => {
      const parted = new PartedText(long);
      const texts = Array.from({ length: parted.count }, (_, at) => parted.part(at));
      for (const [at, text] of edits) {
        parted.change(at % parted.count, text);
        texts[at % parted.count] = text;
      }
      expect(parted.whole).toBe(texts.join(''));
    }),
    { numRuns: 20 },
  );
});

test('each character is found in its part, and back', () => {
  const parted = new PartedText(long);
  assert(
    property(nat(long.length - 1), (at) => {
      const { part, offset } = parted.locate(at);
      expect(parted.part(part)[offset]).toBe(long[at]);
      expect(parted.position(part, offset)).toBe(at);
    }),
  );
});

test('a part knows in which line it begins', () => {
  const parted = new PartedText(long);
  const before = parted.part(0).split('\n').length;
  expect(parted.firstLine(0)).toBe(1);
  expect(parted.firstLine(1)).toBe(before);
});
