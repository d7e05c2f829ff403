import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan as row } from '../examples.ts';
import {
  endOffset,
  errorsOf,
  firstCause,
  newerRow,
  opensAtCause,
  selfTime,
  stallOf,
  waitsSince,
} from './span-status.ts';

test('the newest version of a row stays, in whatever order and however often they arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 1 }), (arrivals) => {
      const last = arrivals
        .map((change) => row({ change }))
        .reduce((known: SpanRow | undefined, next) => newerRow(known, next), undefined);
      expect(last?.change).toBe(Math.max(...arrivals));
    }),
  );
});

test('a running span of a machine whose clock is ahead has no negative length', () => {
  expect(endOffset(row({ status: 'running', offset_ns: 50, duration_ns: null }), 20)).toBe(50);
});

test('a lost span does not grow', () => {
  expect(endOffset(row({ status: 'lost', offset_ns: 50, duration_ns: null }), 900)).toBe(50);
});

test('the first cause is the innermost error that ended first', () => {
  const spans = [
    row({ span_id: 'root', status: 'error', duration_ns: 90 }),
    row({ span_id: 'late', parent_span_id: 'root', status: 'error', offset_ns: 50 }),
    row({ span_id: 'tool', parent_span_id: 'root', status: 'error', duration_ns: 30 }),
    row({ span_id: 'fine', parent_span_id: 'root', duration_ns: 10 }),
  ];
  expect(firstCause(spans)?.span_id).toBe('tool');
});

test('a failure that reached the root is read before one that was caught earlier', () => {
  const spans = [
    row({ span_id: 'root', status: 'error', offset_ns: 0, duration_ns: 90 }),
    row({ span_id: 'step', parent_span_id: 'root', offset_ns: 0, duration_ns: 20 }),
    row({
      span_id: 'caught',
      parent_span_id: 'step',
      status: 'error',
      offset_ns: 1,
      duration_ns: 9,
    }),
    row({
      span_id: 'fatal',
      parent_span_id: 'root',
      status: 'error',
      offset_ns: 50,
      duration_ns: 9,
    }),
  ];
  expect(firstCause(spans)?.span_id).toBe('fatal');
});

test('a duplicate of a failed span is neither a second error nor the cause', () => {
  const spans = [
    row({ span_id: 'call', status: 'error', duration_ns: 90 }),
    row({ span_id: 'again', parent_span_id: 'call', status: 'error', duplicate_of: 'call' }),
  ];
  expect(errorsOf(spans).map((span) => span.span_id)).toEqual(['call']);
  expect(firstCause(spans)?.span_id).toBe('call');
});

test('without an error there is no cause', () => {
  expect(firstCause([row()])).toBeUndefined();
});

test('time in itself is the part that no child covers, overlapping children counted once', () => {
  const parent = row({ duration_ns: 100 });
  const children = [
    row({ offset_ns: 10, duration_ns: 30 }),
    row({ offset_ns: 20, duration_ns: 30 }),
    row({ offset_ns: 90, duration_ns: 500 }),
  ];
  expect(selfTime(parent, children, 0)).toBe(50);
});

test('waiting is no time in itself, and counts once with what runs meanwhile', () => {
  const parent = row({
    duration_ns: 100,
    waited: [
      [10, 20],
      [80, null],
    ],
  });
  expect(selfTime(parent, [row({ offset_ns: 20, duration_ns: 20 })], 0)).toBe(50);
});

test('a span that runs waits since its last wait began, if that is not over', () => {
  const waited: [number, number | null][] = [
    [10, 20],
    [80, null],
  ];
  expect(waitsSince(row({ status: 'running', duration_ns: null, waited }))).toBe(80);
  expect(
    waitsSince(row({ status: 'running', duration_ns: null, waited: [[10, 20]] })),
  ).toBeUndefined();
  expect(waitsSince(row({ status: 'lost', duration_ns: null, waited }))).toBeUndefined();
});

test('time in itself is never negative and never more than the whole', () => {
  const child = fc.record({
    offset_ns: fc.integer({ min: -50, max: 150 }),
    duration_ns: fc.nat(90),
  });
  fc.assert(
    fc.property(fc.array(child), (children) => {
      const self = selfTime(
        row(),
        children.map((values) => row(values)),
        0,
      );
      expect(self).toBeGreaterThanOrEqual(0);
      expect(self).toBeLessThanOrEqual(100);
    }),
  );
});

test('a session opens at its cause: failed always, ended as a waterfall, going on never', () => {
  expect(opensAtCause('failed', false)).toBe(true);
  expect(opensAtCause('completed', true)).toBe(true);
  expect(opensAtCause('completed', false)).toBe(false);
  for (const status of ['running', 'waiting', 'paused'] as const)
    expect(opensAtCause(status, true)).toBe(false);
});

test('a stall of more than 3 s is marked, while it lasts and afterwards', () => {
  const s = 1e9;
  const answering = row({ status: 'running', offset_ns: 10 * s, stall_start_ns: 2 * s });
  expect(stallOf(answering, 14 * s)).toBeUndefined();
  expect(stallOf(answering, 16 * s)).toEqual({ start_ns: 12 * s, end_ns: 16 * s });
  const ended = row({ ...answering, status: 'ok', duration_ns: 9 * s });
  expect(stallOf(ended, 99 * s)).toBeUndefined();
  const stalled = { start_ns: 12 * s, end_ns: 17 * s };
  expect(stallOf({ ...ended, stall_ns: 5 * s }, 99 * s)).toEqual(stalled);
  expect(stallOf(row({ status: 'running' }), 99 * s)).toBeUndefined();
});
