import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Clip } from '../../api/types.ts';
import { argumentPairs, isCut, joinCalls, wrappedText } from './transcript-text.ts';

const clip = (text: string, more: Partial<Clip> = {}): Clip => ({
  text,
  chars: [...text].length,
  is_json: true,
  is_truncated: false,
  ...more,
});

const ran = (key: string, name: string, call_id?: string) => ({ key, name, call_id });

test('calls go with tools by id, whatever the order', () => {
  const calls = [
    { id: 'a', name: 'read' },
    { id: 'b', name: 'read' },
  ];
  const joined = joinCalls(calls, [ran('2', 'read', 'b'), ran('1', 'read', 'a')]);
  expect([...joined]).toEqual([
    [0, '1'],
    [1, '2'],
  ]);
});

test('without ids calls go with tools by name and order', () => {
  const calls = [
    { id: null, name: 'read' },
    { id: null, name: 'write' },
    { id: null, name: 'read' },
  ];
  const joined = joinCalls(calls, [ran('1', 'read'), ran('2', 'read'), ran('3', 'write')]);
  expect([...joined].sort()).toEqual([
    [0, '1'],
    [1, '3'],
    [2, '2'],
  ]);
});

test('a tool with the id of another call is not taken by its name', () => {
  expect(joinCalls([{ id: 'a', name: 'read' }], [ran('1', 'read', 'b')]).size).toBe(0);
});

const names = fc.constantFrom('read', 'write');
const ids = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });

test('however calls and tools are told, none is joined twice, and ids are kept to', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: ids, name: names }), { maxLength: 6 }),
      fc.array(fc.record({ call_id: ids, name: names }), { maxLength: 6 }),
      (calls, drawn) => {
        const tools = drawn.map((tool, at) => ({ ...tool, key: String(at) }));
        const joined = joinCalls(
          calls.map(({ id, name }) => ({ id: id ?? null, name })),
          tools,
        );
        expect(new Set(joined.values()).size).toBe(joined.size);
        for (const [at, key] of joined) {
          const [call, tool] = [calls[at], tools[Number(key)]];
          if (call?.id !== undefined && tool?.call_id !== undefined)
            expect(tool.call_id).toBe(call.id);
          else expect(tool?.name).toBe(call?.name);
        }
      },
    ),
  );
});

test('arguments are names and values, exactly as they were sent', () => {
  expect(argumentPairs(clip('{"n": 9007199254740993, "text": "a\\nb", "list": [1, 2]}'))).toEqual([
    ['n', '9007199254740993'],
    ['text', 'a b'],
    ['list', '[1, 2]'],
  ]);
  expect(argumentPairs(clip('[1]'))).toBeUndefined();
  expect(argumentPairs(clip('no json', { is_json: false }))).toBeUndefined();
  expect(argumentPairs(clip('{"__proto__": {"a": 1}}'))).toEqual([['__proto__', '{"a": 1}']]);
});

test('a long value is shortened, and says so', () => {
  const [[, value] = []] = argumentPairs(clip(JSON.stringify({ text: 'x'.repeat(500) }))) ?? [];
  expect(value).toMatch(/^x{89}…$/);
});

test('a result that is a text in JSON is that text', () => {
  expect(wrappedText(clip('{"result": "a\\nb"}'))).toBe('a\nb');
  expect(wrappedText(clip('"a"'))).toBe('a');
  expect(
    wrappedText(clip('{"content": [{"type":"text","text":"a"},{"type":"text","text":"b"}]}')),
  ).toBe('a\nb');
  expect(wrappedText(clip('{"content": [{"text":"a"}]}'))).toBe('a');
  expect(
    wrappedText(clip('{"content": "a", "type": "tool", "tool_call_id": "1", "status": "success"}')),
  ).toBe('a');
  expect(wrappedText(clip('{"content": "a", "path": "b"}'))).toBeUndefined();
  expect(wrappedText(clip('{"result": "a", "more": 1}'))).toBeUndefined();
  expect(wrappedText(clip('{"content": [{"type":"image","data":""}]}'))).toBeUndefined();
  expect(wrappedText(clip('plain', { is_json: false }))).toBe('plain');
});

test('of a text in JSON that was cut the beginning is shown, whatever it was cut in', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, end) => {
      const whole = JSON.stringify({ result: text });
      const cut = whole.slice(0, 11 + end);
      if (cut.length >= whole.length - 2) return;
      const shown = wrappedText(clip(cut, { chars: whole.length + 1 }));
      if (shown !== undefined)
        expect(text.startsWith(shown.replace(/[\ud800-\udbff]$/, ''))).toBe(true);
    }),
  );
});

test('a clip is cut when there is more of it', () => {
  expect(isCut(clip('🚀'))).toBe(false);
  expect(isCut(clip('🚀', { chars: 2 }))).toBe(true);
});
