import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenPlaces } from './hidden-characters.ts';
import { StandIns } from './stand-ins.ts';

const text = array(
  oneof(
    string({ unit: 'binary', maxLength: 6 }),
    constantFrom('\u202e', '\u200b', '❶', '①', '\ue000', '👩‍👧', '\u{e0041}', 'שלום'),
  ),
).map((parts) => parts.join(''));

test('whatever the text is, it comes back as it was, and nothing of it is hidden meanwhile', () => {
  assert(
    property(text, (original) => {
      const signs = new StandIns(original);
      const shown = signs.encode(original);
      expect(signs.decode(shown)).toBe(original);
      const codes = new Set(signs.list.map(({ sign }) => sign.codePointAt(0)));
      expect(hiddenPlaces(shown, 1000).filter(({ code }) => !codes.has(code))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test('a sign is one that the text does not have', () => {
  const signs = new StandIns('❶ a\u202eb\u200bc');
  expect(signs.encode('❶ a\u202eb\u200bc')).toBe('❶ a❷b❸c');
  expect(signs.list.map(({ sign }) => sign)).toEqual(['❷', '❸']);
});

test('what is typed beside a sign stays', () => {
  const signs = new StandIns('"a\u202eb"');
  expect(signs.decode('"new ❶ text"')).toBe('"new \u202e text"');
  expect(signs.decode('"gone"')).toBe('"gone"');
});
