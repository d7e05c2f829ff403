import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSession as session } from './examples.ts';
import { compareNewestFirst, countPerMinute, matchesFilter, parseFilter } from './session-order.ts';

test('the order is newest first, exact to the nanosecond, and total', () => {
  const sessions = fc.array(
    fc.record({ epoch_ns: fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String), id: fc.string() }),
  );
  fc.assert(
    fc.property(sessions, (values) => {
      const sorted = values.map((value) => session(value)).sort(compareNewestFirst);
      const times = sorted.map((one) => BigInt(one.epoch_ns));
      expect(times).toEqual([...times].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
    }),
  );
  const [a, b] = [session({ epoch_ns: '1767225630000000001' }), session({ id: 'b' })];
  expect([b, a].sort(compareNewestFirst)).toEqual([a, b]);
});

test.each([
  ['', true],
  ['merge MAIN', true],
  ['"merge conflict"', true],
  ['"conflict merge"', false],
  ['status:running agent:plan', true],
  ['status:failed', false],
  ['model:gpt-4o nothing', false],
  ['http://x', false],
])('the filter %j decides %s', (query, isShown) => {
  expect(matchesFilter(session(), parseFilter(query))).toBe(isShown);
});

test('any text is a filter', () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      expect(typeof matchesFilter(session(), parseFilter(query))).toBe('boolean');
    }),
  );
});

test('sessions are counted in the minute in which they began, older ones not at all', () => {
  const now_ms = Date.parse('2026-01-01T00:02:10Z');
  const counts = countPerMinute(
    [
      session(),
      session({ status: 'failed' }),
      session({ started_at: '2026-01-01T00:02:00Z' }),
      session({ started_at: '2025-12-31T00:00:00Z' }),
    ],
    now_ms,
    3,
  );
  expect(counts).toEqual([
    { total: 2, failed: 1 },
    { total: 0, failed: 0 },
    { total: 1, failed: 0 },
  ]);
});
