import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallContext, Message, SpanContext, SpanDetail } from '../../api/types.ts';
import { cachedShare, columnsOf, messagesOf, PART_NAMES } from './context-parts.ts';

const call = (values: Partial<CallContext>): CallContext => ({
  trace_id: 't',
  span_id: 's',
  agent: null,
  offset_ns: 0,
  model: null,
  input_tokens: null,
  cached_tokens: null,
  chars: 0,
  media: 0,
  parts: [],
  ...values,
});

const callArbitrary = fc
  .record({
    sizes: fc.array(fc.nat(10_000), { minLength: 1, maxLength: PART_NAMES.length }),
    input_tokens: fc.option(fc.nat(100_000)),
    cached_tokens: fc.option(fc.nat(100_000)),
  })
  .map(({ sizes, ...rest }) =>
    call({
      ...rest,
      chars: sizes.reduce((sum, one) => sum + one, 0),
      parts: sizes.map((chars, at) => ({
        part: PART_NAMES[at] ?? 'other',
        chars,
        tokens: null,
        repeated_chars: 0,
        dropped_chars: 0,
      })),
    }),
  );

test('a column is as high as its call is large, and the cached share is within it', () => {
  fc.assert(
    fc.property(fc.array(callArbitrary, { maxLength: 12 }), (calls) => {
      const { columns, most, unit } = columnsOf(calls);
      for (const { call: one, heights, cached } of columns) {
        const size = unit === 'tokens' ? one.input_tokens : one.chars;
        const sum = heights.reduce((all, { height }) => all + height, 0);
        const expected = most === 0 || one.chars === 0 ? 0 : (size ?? 0) / most;
        expect(sum).toBeCloseTo(expected, 9);
        if (one.chars > 0) expect(cached).toBeLessThanOrEqual(sum + 1e-9);
      }
    }),
  );
});

test('calls of which one reports no tokens are compared by characters', () => {
  const part = {
    part: 'history',
    tokens: null,
    repeated_chars: 0,
    dropped_chars: 0,
  } as const;
  const calls = [
    call({ input_tokens: 9_000, chars: 10, parts: [{ ...part, chars: 10 }] }),
    call({ chars: 20, parts: [{ ...part, chars: 20 }] }),
  ];
  const { unit, most, columns } = columnsOf(calls);
  expect([unit, most]).toEqual(['characters', 20]);
  expect(columns.map(({ heights }) => heights[0]?.height)).toEqual([0.5, 1]);
});

test('nothing is cached where none or no input is reported', () => {
  expect(cachedShare(call({ cached_tokens: 5, input_tokens: null }))).toBeUndefined();
  expect(cachedShare(call({ cached_tokens: 0, input_tokens: 10 }))).toBeUndefined();
  expect(cachedShare(call({ cached_tokens: 5, input_tokens: 10 }))).toBe(0.5);
});

test('a message is in each part of the context with its own parts alone, and as the same objects', () => {
  const text = (of: string) => ({ type: 'text', text: of, parse_error: false }) as const;
  const result = { type: 'tool_result', id: 'c', result: null } as const;
  const message = { role: 'user', origin: 'input', parts: [text('Why?'), result] };
  const messages = [message, { ...message, parts: [text('Why?')] }] as unknown as Message[];
  const pieces: SpanContext['pieces'] = [
    { part: 'history', pointer: '/view/messages/0/parts/0', chars: 4, repeats: null },
    { part: 'tool_results', pointer: '/view/messages/0/parts/1', chars: 9, repeats: null },
    {
      part: 'history',
      pointer: '/view/messages/1/parts/0',
      chars: 4,
      repeats: '/view/messages/0/parts/0',
    },
    { part: 'history', pointer: '/view/messages/7/parts/0', chars: 4, repeats: null },
    { part: 'history', pointer: '/elsewhere', chars: 4, repeats: null },
  ];
  const detail = { view: { messages } } as unknown as SpanDetail;
  const found = messagesOf(detail, { pieces }, 'history');
  expect(found.map(({ place, repeats }) => [place, repeats])).toEqual([
    [1, undefined],
    [2, 1],
  ]);
  // What is cut is found by the object that holds it.
  expect(found[0]?.message.parts[0]).toBe(messages[0]?.parts[0]);
  expect(found[0]?.message.parts).toHaveLength(1);
});
