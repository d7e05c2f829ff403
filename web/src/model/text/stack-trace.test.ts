import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldFrames } from './stack-trace.ts';

const FOREIGN = /site-packages/;
const frame = (path: string) => `  File "${path}", line 3, in f\n    call()`;
const LIBRARY = frame('/venv/site-packages/httpx/_client.py');

test("runs of library frames are folded, the ends and one's own are not", () => {
  const text = [
    'Traceback (most recent call last):',
    frame('/app/main.py'),
    LIBRARY,
    LIBRARY,
    LIBRARY,
    frame('/app/tool.py'),
    LIBRARY,
    'ValueError: no',
  ].join('\n');
  expect(foldFrames(text, FOREIGN)).toEqual([
    {
      isFolded: false,
      text: `Traceback (most recent call last):\n${frame('/app/main.py')}`,
    },
    { isFolded: true, count: 3 },
    { isFolded: false, text: `${frame('/app/tool.py')}\n${LIBRARY}\nValueError: no` },
  ]);
});

test('frames of JavaScript are known too', () => {
  const text = `Error: no\n${'    at f (/x/site-packages/a.js:1:1)\n'.repeat(4)}    at g (/app/b.js:2:2)`;
  expect(foldFrames(text, FOREIGN).map((one) => one.isFolded)).toEqual([false, true, false]);
});

test('what is no stack trace stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', ' ', 'File "', '|') }), (text) => {
      const shown = foldFrames(text, FOREIGN);
      expect(shown.map((one) => (one.isFolded ? '!' : one.text)).join('\n')).toBe(text);
    }),
  );
});
