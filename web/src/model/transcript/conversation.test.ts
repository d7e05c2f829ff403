import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message, Part } from '../../api/types.ts';
import { joinToolResults } from './conversation.ts';

function message(role: string, ...parts: Part[]): Message {
  return { role, origin: 'input', name: null, finish_reason: null, parts };
}

function call(id: string | null): Part {
  return { type: 'tool_call', id, name: 'git_log', arguments: null };
}

function result(id: string | null): Part {
  return { type: 'tool_result', id, result: null };
}

const shape = (messages: Message[]) =>
  joinToolResults(messages).map(({ role, parts }) => [
    role,
    ...parts.map((part) => (part.type === 'tool_use' && part.result ? 'use+result' : part.type)),
  ]);

test('a call has its result, and the message that held nothing else is gone', () => {
  expect(shape([message('assistant', call('1')), message('tool', result('1'))])).toEqual([
    ['assistant', 'use+result'],
  ]);
});

test('a result without a call is shown where it was', () => {
  expect(shape([message('tool', result('9')), message('tool', result(null))])).toEqual([
    ['tool', 'tool_result'],
    ['tool', 'tool_result'],
  ]);
});

test('calls of the same id get their results in order', () => {
  const messages = [message('assistant', call('1'), call('1')), message('tool', result('1'))];
  expect(shape(messages)).toEqual([['assistant', 'use+result', 'tool_use']]);
});

test('an empty message is shown', () => {
  expect(shape([message('user')])).toEqual([['user']]);
});

test('every call and every result is shown exactly once', () => {
  const part = fc
    .tuple(fc.boolean(), fc.constantFrom('1', '2', '3', null))
    .map(([isCall, id]): Part => (isCall ? call(id) : result(id)));
  fc.assert(
    fc.property(fc.array(fc.array(part)), (lists) => {
      const messages = lists.map((parts) => message('any', ...parts));
      const shown = joinToolResults(messages).flatMap((turn) =>
        turn.parts.flatMap((one): Part[] =>
          one.type === 'tool_use' ? [one.call, ...(one.result ? [one.result] : [])] : [one],
        ),
      );
      expect(new Set(shown)).toEqual(new Set(lists.flat()));
      expect(shown).toHaveLength(lists.flat().length);
    }),
  );
});
