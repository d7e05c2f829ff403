import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import { changedPart, diffTexts, type TextDiff } from './text-diff.ts';

/** The text after, from the one before and what the diff says. */
function applied(before: string, { hunks }: TextDiff): string {
  const rest = before.split('\n');
  const out: string[] = [];
  let at = 0;
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.kind === 'removed') {
        while (at < line.number - 1) out.push(rest[at++] ?? '');
        expect(rest[at]).toBe(line.text);
        at += 1;
      } else if (line.kind === 'added') {
        while (out.length < line.number - 1) out.push(rest[at++] ?? '');
        out.push(line.text);
      } else {
        while (out.length < line.number) out.push(rest[at++] ?? '');
        expect(out[line.number - 1]).toBe(line.text);
      }
    }
  }
  return [...out, ...rest.slice(at)].join('\n');
}

const line = constantFrom('{', '}', 'a', 'b', 'c', '', 'a longer one', 'a longer ones');
const text = array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

test('a diff leads from the text before to the text after', () => {
  assert(
    property(text, text, (before, after) => {
      const diff = diffTexts(before, after);
      expect(applied(before, diff)).toBe(after);
      expect(diff.editCount === 0).toBe(before === after);
    }),
    { numRuns: 2000 },
  );
});

test('the changed part is all that differs', () => {
  assert(
    property(text, text, (a, b) => {
      const { before, after } = changedPart(a, b);
      expect(a.slice(0, before[0])).toBe(b.slice(0, after[0]));
      expect(a.slice(before[1])).toBe(b.slice(after[1]));
    }),
  );
});

test('a letter in the middle of a line is one edit, and marked alone', () => {
  const diff = diffTexts(
    '{\n  "path": "build/old",\n  "n": 1\n}',
    '{\n  "path": "build/new",\n  "n": 1\n}',
  );
  expect(diff.editCount).toBe(1);
  const [removed, added] = diff.hunks[0]?.lines.filter(({ kind }) => kind !== 'same') ?? [];
  expect(removed?.text.slice(removed.from, removed.to)).toBe('old');
  expect(added?.text.slice(added.from, added.to)).toBe('new');
});

test('changes far from each other are two edits', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const changed = lines.map((one, at) => (at === 3 || at === 30 ? `${one}!` : one));
  const diff = diffTexts(lines.join('\n'), changed.join('\n'));
  expect(diff.editCount).toBe(2);
  expect(diff.hunks).toHaveLength(2);
});

test('texts that have nothing in common are replaced, not compared for ever', () => {
  const a = Array.from({ length: 30_000 }, (_, at) => `a${at}`).join('\n');
  const b = Array.from({ length: 29_999 }, (_, at) => `b${at}`).join('\n');
  expect(diffTexts(a, b).editCount).toBe(1);
});

test('lines that were changed one by one stand side by side, and each is an edit', () => {
  const diff = diffTexts('{\n"a": true,\n"b": "old"\n}', '{\n"a": false,\n"b": "new"\n}');
  expect(diff.editCount).toBe(2);
  expect(
    diff.hunks[0]?.lines.map(({ kind, text, from, to }) => [kind, text.slice(from, to)]),
  ).toEqual([
    ['same', ''],
    ['removed', 'true'],
    ['added', 'false'],
    ['removed', 'old'],
    ['added', 'new'],
    ['same', ''],
  ]);
});

test('half of a character is not marked', () => {
  const { before, after } = changedPart('"😀"', '"😁"');
  expect([before, after]).toEqual([
    [1, 3],
    [1, 3],
  ]);
});
