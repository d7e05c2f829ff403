import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Difference, Session, View } from '../../api/types.ts';
import {
  briefly,
  deltaOf,
  diffContents,
  exchangeIn,
  sessionIdIn,
  summarise,
} from './comparison.ts';

const session = (values: Partial<Session>) =>
  ({
    duration_ms: 0,
    waiting_ms: 0,
    span_count: 0,
    error_count: 0,
    llm_calls: 0,
    tool_calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: null,
    ...values,
  }) as Session;

test('numbers stand beside each other with what became of them', () => {
  const rows = summarise(
    session({ duration_ms: 2000, error_count: 0, span_count: 5 }),
    session({ duration_ms: 3000, error_count: 2, span_count: 5 }),
  );
  expect(rows).toEqual([
    { name: 'time', left: '2 s', right: '3 s', delta: '+1 s (+50\u00a0%)', trend: 'more' },
    { name: 'spans', left: '5', right: '5', delta: '=', trend: 'same' },
    { name: 'errors', left: '0', right: '2', delta: '+2', trend: 'more' },
  ]);
});

test('what is not known has no difference: a session that still runs, a cost nobody said', () => {
  const rows = summarise(
    session({ duration_ms: null, cost_usd: 0.5 }),
    session({ duration_ms: 3000 }),
  );
  expect(rows.map(({ name, delta, trend }) => [name, delta, trend])).toEqual([
    ['time', '–', 'same'],
    ['cost', '–', 'same'],
  ]);
});

test('a difference has the sign of its direction', () => {
  const count = fc.nat(1e6);
  fc.assert(
    fc.property(count, count, (before, after) => {
      const delta = deltaOf(before, after, String);
      expect(delta.slice(0, 1)).toBe(before === after ? '' : after > before ? '+' : '−');
    }),
  );
});

test('a session is named by its id, or by an address that leads to it', () => {
  expect(sessionIdIn(' demo-1 ')).toBe('demo-1');
  expect(sessionIdIn('http://127.0.0.1:7800/ui/sessions/a%2Fb?span=x.y')).toBe('a/b');
  expect(sessionIdIn('/sessions/%E0%A4%A')).toBe('%E0%A4%A');
});

test('a model is asked by its first words, not by all that was said before each turn', () => {
  const text = (value: string) => [{ type: 'text', text: value }];
  const messages = [
    { role: 'system', origin: 'input', parts: text('be kind') },
    { role: 'user', origin: 'input', parts: text('hello') },
    { role: 'assistant', origin: 'input', parts: text('earlier') },
    { role: 'assistant', origin: 'output', parts: text('hi') },
  ];
  const view = { tool: null, mcp: null, messages } as unknown as View;
  expect(exchangeIn(view, 'llm')).toEqual({ question: 'be kind\nhello', answer: 'hi' });
});

test('a time that is not the whole one is called so', () => {
  const delta = (whole_s: number, own: readonly [number, number]) =>
    briefly({
      left: { duration_ns: whole_s * 1e9 },
      right: { duration_ns: whole_s * 1e9 },
      left_own_ns: own[0] * 1e9,
      right_own_ns: own[1] * 1e9,
    } as Difference);
  expect(delta(9, [8, 5])).toBe('self time 8 s → 5 s, in total 9 s → 9 s');
  expect(delta(9, [9, 9])).toBe('');
  expect(
    briefly({
      left: { duration_ns: 1e9 },
      right: { duration_ns: 4e9 },
      left_own_ns: 1e9,
      right_own_ns: 4e9,
    } as Difference),
  ).toBe('1 s → 4 s');
});

test('of JSON on one line, the lines that differ are shown as it is formatted', () => {
  const call = (sql: string) =>
    `{"jsonrpc":"2.0","id":9007199254740993,"params":{"sql":"${sql}","limit":1.0}}`;
  const lines = (before: string, after: string) =>
    diffContents(before, after).hunks.flatMap(({ lines }) =>
      lines.filter(({ kind }) => kind !== 'same').map(({ text }) => text.trim()),
    );
  expect(lines(call('select 1'), call('select 2'))).toEqual([
    '"sql": "select 1",',
    '"sql": "select 2",',
  ]);
  // What is cut short is formatted as far as it goes, and what is no JSON stays as it is.
  expect(lines(call('select 1').slice(0, 62), call('select 1').slice(0, 64))).toHaveLength(2);
  expect(lines('[info] a', '[info] b')).toEqual(['[info] a', '[info] b']);
  // Where only white space differs, that is what is shown.
  expect(lines('{"a":1}', '{"a": 1}')).toEqual(['{"a":1}', '{"a": 1}']);
});
