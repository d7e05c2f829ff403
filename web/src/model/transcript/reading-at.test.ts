import { expect, test } from 'vitest';
import type { Reading } from '../../api/types.ts';
import { readingAt } from './reading-at.ts';

const CLIP = { text: 'x', chars: 1, is_json: false, is_truncated: false };

const READING = {
  said: [{ origin: 'input' }, { origin: 'output' }],
  so_far: { text: 'On', chars: 2 },
  error: { type: 'ValueError' },
  finish_reasons: ['stop'],
  first_chunk_ms: 5,
  tool: { name: 'find', arguments: CLIP, result: CLIP, is_error: true },
  mcp: { request: CLIP, response: CLIP },
  progress: { offset_ns: 30 },
  decisions: [{ offset_ns: 10 }, { offset_ns: 30 }],
  asked: [
    { offset_ns: 5, waited_ns: 10 },
    { offset_ns: 5, waited_ns: 20 },
    { offset_ns: 5, waited_ns: null },
  ],
  state: [{ offset_ns: 20 }, { offset_ns: 21 }],
} as unknown as Reading;

test('before its end a span has its input, and what had happened in it', () => {
  expect(readingAt(READING, 20)).toEqual({
    said: [{ origin: 'input' }],
    so_far: null,
    error: null,
    finish_reasons: [],
    first_chunk_ms: null,
    tool: { name: 'find', arguments: CLIP, result: null, is_error: false },
    mcp: { request: CLIP, response: null },
    progress: null,
    decisions: [{ offset_ns: 10 }],
    asked: [READING.asked[0], READING.asked[2]],
    state: [{ offset_ns: 20 }],
  });
});
