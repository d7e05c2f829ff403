import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanStatus } from '../../api/types.ts';
import { exampleSpan } from '../examples.ts';
import { SessionTally } from './session-tally.ts';

const statuses: SpanStatus[] = ['running', 'lost', 'ok', 'error', 'cancelled'];
const change = fc.record({
  span_id: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom(...statuses),
  offset_ns: fc.integer({ min: -5, max: 50 }),
});

test('what is kept is what counting all of them anew would give', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const tally = new SessionTally();
      const newest = new Map<string, ReturnType<typeof exampleSpan>>();
      for (const { span_id, status, offset_ns } of changes) {
        const isOpen = status === 'running' || status === 'lost';
        const span = exampleSpan({ span_id, status, offset_ns, duration_ns: isOpen ? null : 7 });
        newest.set(span_id, span);
        tally.put(span);
      }
      const count = (status: SpanStatus) =>
        [...newest.values()].filter((span) => span.status === status).length;
      expect(tally.errors.size).toBe(count('error'));
      expect(tally.running.size).toBe(count('running'));
    }),
  );
});

test('the extent covers negative offsets and grows with what runs', () => {
  const tally = new SessionTally();
  expect(tally.extent(400)).toEqual({ start_ns: 0, end_ns: 0, isRunning: false });
  tally.put(exampleSpan({ span_id: 'a', offset_ns: -5, duration_ns: 2 }));
  tally.put(exampleSpan({ span_id: 'b', status: 'running', duration_ns: null }));
  expect(tally.extent(400)).toEqual({ start_ns: -5, end_ns: 400, isRunning: true });
  tally.put(exampleSpan({ span_id: 'b', duration_ns: 100 }));
  expect(tally.extent(400)).toEqual({ start_ns: -5, end_ns: 100, isRunning: false });
});

test('errors come by start, a duplicate of one is none', () => {
  const tally = new SessionTally();
  tally.put(exampleSpan({ span_id: 'late', status: 'error', offset_ns: 9 }));
  tally.put(exampleSpan({ span_id: 'again', status: 'error', duplicate_of: 'late' }));
  tally.put(exampleSpan({ span_id: 'early', status: 'error', offset_ns: 1 }));
  expect(tally.errorsByStart().map(({ span_id }) => span_id)).toEqual(['early', 'late']);
});
