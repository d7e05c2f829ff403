import { expect, test } from 'vitest';
import type { Api } from '../api/client.ts';
import { SpanValues } from './span-values.ts';

const SPAN = { session_id: 'eu:a', trace_id: 't', span_id: 's' };
const READING = { signal: new AbortController().signal, onProgress: () => {} };
const cut = (pointer: string, size_bytes = 1) => ({ pointer, size_bytes, is_json: false });

function values(length: number): SpanValues {
  const spanValue = async (_span: unknown, pointer: string) => pointer.padEnd(length, '.');
  return new SpanValues({ spanValue } as unknown as Api);
}

test('a value that was read is there at once the next time', async () => {
  const read = values(10);
  expect(read.peek(SPAN, cut('/a'))).toBeUndefined();
  const text = await read.load(SPAN, cut('/a'), READING);
  expect(read.peek(SPAN, cut('/a'))).toBe(text);
  expect(read.peek(SPAN, cut('/a', 2))).toBeUndefined();
  expect(read.peek({ ...SPAN, session_id: 'us:b' }, cut('/a'))).toBeUndefined();
});

test('what was looked at longest ago is forgotten when there is too much', async () => {
  const read = values(12 * 1024 * 1024);
  for (const pointer of ['/a', '/b', '/c']) await read.load(SPAN, cut(pointer), READING);
  expect(['/a', '/b', '/c'].map((one) => read.peek(SPAN, cut(one)) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
});

test('one value that is too long by itself is kept until the next one', async () => {
  const read = values(40 * 1024 * 1024);
  await read.load(SPAN, cut('/a'), READING);
  expect(read.peek(SPAN, cut('/a'))).toBeDefined();
  await read.load(SPAN, cut('/b'), READING);
  expect(read.peek(SPAN, cut('/a'))).toBeUndefined();
});
