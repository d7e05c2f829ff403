import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSession, exampleSpan } from '../examples.ts';
import { fenced, summaryOf } from './session-summary.ts';

const link = 'http://127.0.0.1:7800/ui/sessions/s';

test('a summary says what it was, what went wrong and what it did', () => {
  const failed = exampleSpan({ name: 'write_report', status: 'error', duration_ns: 2e9 });
  const step = exampleSpan({ name: 'step', duration_ns: 5e8 });
  const text = summaryOf({
    session: exampleSession({
      status: 'failed',
      duration_ms: 60_000,
      idle_ms: 3_600_000,
      error_count: 1,
      input_tokens: 1200,
      output_tokens: 34,
      cost_usd: 0.21,
    }),
    link,
    causes: [{ span: failed, text: 'No space left' }],
    errorCount: 1,
    outline: [
      { depth: 0, span: exampleSpan({ name: 'sync', duration_ns: 6e10 }) },
      { depth: 1, span: step },
      { depth: 1, span: step },
      { depth: 1, span: failed },
    ],
  });
  expect(text).toBe(`# Merge conflict in main

**failed** · 1m 00s · 1h 00m idle · 1 span · 1 error · 1\u202f200 tokens in, 34 out · $0.21 · gpt-4o

<${link}>

## What went wrong

write\\_report at +0 s, after 2 s:

\`\`\`text
No space left
\`\`\`

## Outline

\`\`\`text
sync  1m 00s
  step  500 ms  × 2
  write_report  2 s  ERROR
\`\`\`
`);
});

test('nothing in a text ends the fence around it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('`', '```', '\n', 'a', '~')), (pieces) => {
      const text = pieces.join('');
      const lines = fenced(text).split('\n');
      const fence = lines.at(-1) ?? '';
      const inside = lines.slice(1, -1);
      expect(inside.join('\n')).toBe(text);
      expect(inside.some((line) => line.includes(fence))).toBe(false);
    }),
  );
});

test('an outline is cut, and says how much is missing', () => {
  const outline = Array.from({ length: 100 }, (_, n) => ({
    depth: 0,
    span: exampleSpan({ name: `step ${n}` }),
  }));
  const text = summaryOf({ session: exampleSession(), link, causes: [], errorCount: 0, outline });
  expect(text).toContain('step 59 ');
  expect(text).not.toContain('step 60 ');
  expect(text).toContain('… and 40 other spans');
});
