import { expect, test } from 'vitest';
import type { Clip, Reading, Said, Transcript } from '../../api/types.ts';
import { lastEntries } from './last-entries.ts';

const clip = (text: string): Clip => ({
  text,
  chars: text.length,
  is_json: false,
  is_truncated: false,
});
const spoken = (role: string, origin: Said['origin'], text: string): Said => ({
  role,
  origin,
  name: null,
  finish_reason: null,
  pieces: [{ type: 'text', at: [0, 0], clip: clip(text) } as Said['pieces'][number]],
});
const reading = (span_id: string, values: Partial<Reading>): Reading =>
  ({
    trace_id: 't',
    span_id,
    said: [],
    tool: null,
    error: null,
    model: null,
    status: 'ok',
    asked: [],
    ...values,
  }) as Reading;
const transcript = (...readings: Reading[]) => ({ readings }) as unknown as Transcript;

test('a call says what people and the model said, a tool its arguments and its result', () => {
  const call = reading('1', {
    model: 'gpt\u202e-4o',
    said: [
      spoken('system', 'system', 'Be kind.'),
      spoken('user', 'input', 'Clean\n\n up'),
      spoken('tool', 'input', 'said by the tool below'),
      spoken('assistant', 'output', 'I delete it.'),
    ],
  });
  const tool = reading('2', {
    tool: {
      name: 'ls',
      call_id: null,
      arguments: clip('{"path": "build"}'),
      result: clip('a b'),
      is_error: false,
    },
  });
  expect(lastEntries(transcript(call, tool)).map(({ who, text }) => [who, text])).toEqual([
    ['user', 'Clean up'],
    ['gpt[U+202E]-4o', 'I delete it.'],
    ['ls', 'path: build → a b'],
  ]);
});

test('the last three are shown, a long text by its beginning, and a failure says so', () => {
  const calls = ['1', '2', '3', '4'].map((id) =>
    reading(id, { said: [spoken('assistant', 'output', id.repeat(500))] }),
  );
  const failed = reading('5', { error: { type: null, code: null, message: clip('504') } });
  const entries = lastEntries(transcript(...calls, failed));
  expect(entries).toHaveLength(3);
  expect(entries[0]?.text).toBe(`${'3'.repeat(400)} …`);
  expect(entries[2]).toMatchObject({ who: 'model', text: '504', state: 'failed' });
});

test('a call that still runs, or waits for a person, says so', () => {
  const tool = { name: 'rm', call_id: null, arguments: clip('{}'), result: null, is_error: false };
  const open = { waited_ns: null } as Reading['asked'][number];
  const entries = lastEntries(
    transcript(
      reading('1', { tool, status: 'ok' }),
      reading('2', { tool, status: 'running', asked: [open, { ...open, waited_ns: 5 }] }),
      reading('3', { model: 'gpt', status: 'running' }),
    ),
  );
  expect(entries.map(({ who, text, state }) => [who, text, state])).toEqual([
    ['rm', '{}', undefined],
    ['rm', '{}', 'waiting'],
    ['gpt', '', 'running'],
  ]);
});

test('what came of the question is not before it', () => {
  const tool = {
    name: 'rm',
    call_id: null,
    arguments: clip('{}'),
    result: clip('gone'),
    is_error: true,
  };
  const entries = lastEntries(transcript(reading('1', { tool }), reading('2', { tool })), 't.2');
  expect(entries.map(({ text, state }) => [text, state])).toEqual([
    ['{} → gone', 'failed'],
    ['{}', undefined],
  ]);
});
