import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamEvent } from '../api/types.ts';
import { exampleSession } from '../model/examples.ts';
import { hasQuery, type ListPart, ListParts, unionOf } from './list-part.ts';

function started(id: string, time: string): StreamEvent {
  return { type: 'SessionStarted', time, session_id: id, session: exampleSession({ id }) };
}

const many = (count: number, time: string) =>
  Array.from({ length: count }, (_, at) => started(String(at), time));
const LEFT_OUT: StreamEvent = { type: 'LeftOut', time: '', count: 3, through: 'store.9' };

function partsOf() {
  const wanted: (ListPart | undefined)[] = [];
  const parts: ListParts = new ListParts(() => wanted.push(parts.wanted));
  return { parts, wanted };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the whole list is followed until more than 100 rows change in a second', () => {
  const { parts, wanted } = partsOf();
  parts.inView = ['a', 'b'];
  parts.observe('status:failed', many(100, '2026-01-01T00:00:00.1Z'));
  parts.observe('status:failed', many(100, '2026-01-01T00:00:01.1Z'));
  vi.runAllTimers();
  expect(wanted).toEqual([]);
  parts.observe('status:failed', [started('c', '2026-01-01T00:00:01.9Z')]);
  vi.advanceTimersByTime(0);
  expect(wanted).toEqual([{ query: 'status:failed', rows: ['a', 'b'] }]);
});

test('when rows are left out those in view are named, at most every three seconds', () => {
  const { parts, wanted } = partsOf();
  parts.observe('', many(101, ''));
  vi.advanceTimersByTime(0);
  parts.observe('', [LEFT_OUT, LEFT_OUT]);
  vi.advanceTimersByTime(2999);
  parts.observe('', [LEFT_OUT]);
  parts.inView = ['c'];
  expect(wanted).toHaveLength(1);
  vi.runAllTimers();
  expect(wanted).toEqual([
    { query: '', rows: [] },
    { query: '', rows: ['c'] },
  ]);
});

test('another query is followed where a part is, and none where all is', () => {
  const { parts, wanted } = partsOf();
  parts.observe('tag:x', []);
  vi.runAllTimers();
  expect(wanted).toEqual([]);
  parts.observe('tag:x', many(101, ''));
  vi.runAllTimers();
  parts.observe('tag:y', []);
  vi.runAllTimers();
  expect(wanted.map((one) => one?.query)).toEqual(['tag:x', 'tag:y']);
});

const part: fc.Arbitrary<ListPart> = fc.record({
  query: fc.constantFrom('', 'a', 'b'),
  rows: fc.subarray(['x', 'y', 'z']),
});

test('what several tabs want has the part of each, and is the whole list if one wants that', () => {
  fc.assert(
    fc.property(fc.array(fc.option(part, { nil: undefined }), { minLength: 1 }), (wanted) => {
      const whole = unionOf(wanted);
      expect(wanted.every((one) => hasQuery(whole, one))).toBe(true);
      expect(whole === undefined).toBe(wanted.includes(undefined));
      const rows = wanted.flatMap((one) => one?.rows ?? []);
      if (whole !== undefined) expect(new Set(whole.rows)).toEqual(new Set(rows));
    }),
  );
});

test('rows are named as far as an address has room', () => {
  const { parts, wanted } = partsOf();
  parts.inView = ['a', 'x'.repeat(9000)];
  parts.observe('', [LEFT_OUT]);
  vi.runAllTimers();
  expect(wanted).toEqual([{ query: '', rows: ['a'] }]);
  const many = (name: string) => Array.from({ length: 80 }, (_, at) => `${name}${at}`);
  const tabs = ['a', 'b'].map((name) => ({ query: '', rows: many(name) }));
  expect(unionOf(tabs)?.rows).toHaveLength(100);
});
