import { expect, test } from 'vitest';
import type { Clip } from '../../api/types.ts';
import { readServerAsk } from './server-asks.ts';

const clip = (value: unknown): Clip => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { text, chars: text.length, is_json: true, is_truncated: false };
};

test('a form that a server sent is read with what was filled in', () => {
  const ask = readServerAsk(
    'elicitation/create',
    clip({ params: { message: 'Shelve it?' } }),
    clip({ result: { action: 'accept', content: { channel: 'beta' } } }),
  );
  expect(ask).toMatchObject({ asked: 'Shelve it?', action: 'accept' });
  expect(ask?.content?.text).toBe('{"channel":"beta"}');
});

test('what a model was asked for a server is read with what it said', () => {
  const content = { type: 'text', text: 'Sum it up.' };
  expect(
    readServerAsk(
      'sampling/createMessage',
      clip({ params: { messages: [{ role: 'user', content }] } }),
      clip({ result: { content: [{ type: 'text', text: 'It works.' }], model: 'small' } }),
    ),
  ).toMatchObject({ asked: 'Sum it up.', text: 'It works.', model: 'small', action: undefined });
});

test.each([
  ['another method', 'tools/call', clip({ params: {} }), null],
  ['no JSON', 'elicitation/create', clip('{'), clip('[')],
  ['one that is cut', 'elicitation/create', { ...clip({ params: {} }), chars: 9000 }, null],
  ['nothing', 'sampling/createMessage', null, null],
] as const)('of %s there is nothing to read', (_, method, request, response) => {
  expect(readServerAsk(method, request, response)).toBeUndefined();
});

test('any JSON is borne', () => {
  for (const value of [null, 1, [], { params: [], result: 'x' }, { params: { messages: [null] } }])
    for (const method of ['elicitation/create', 'sampling/createMessage'])
      expect(() => readServerAsk(method, clip(value), clip(value))).not.toThrow();
});
