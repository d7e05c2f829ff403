import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Session } from '../../api/types.ts';
import { exampleSession as session } from '../examples.ts';
import { comparePlaces, NEWEST_FIRST, ran_ms, sortValue } from './session-order.ts';

function compareNewestFirst(a: Session, b: Session): number {
  const placeOf = (one: Session) => [sortValue(one, NEWEST_FIRST, 0), one.id] as const;
  return comparePlaces(NEWEST_FIRST, placeOf(a), placeOf(b));
}

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

test('a session that runs took until now without its pauses, one that is idle until it began to be', () => {
  const began_ms = Date.parse('2026-01-01T00:00:30Z');
  const values = { started_at: '2026-01-01T00:00:30.000Z', idle_ms: 60_000 };
  expect(ran_ms(session(values), began_ms + 90_000)).toBe(30_000);
  const idle_since = '2026-01-01T00:01:50.000Z';
  expect(ran_ms(session({ ...values, idle_since }), began_ms + 90_000)).toBe(20_000);
  expect(ran_ms(session({ ...values, duration_ms: 7 }), began_ms + 90_000)).toBe(7);
});

test('what changed last is first whatever the numbers of its store, and at one time by them', () => {
  const at = (id: string, second: number, change: number) =>
    session({ id, change, changed_at: `2026-01-01T00:00:0${second}.000000000Z` });
  const rows = [at('us:a', 1, 900), at('eu:b', 2, 7), at('eu:c', 2, 10)];
  const placeOf = (one: Session) => [sortValue(one, '-changed', 0), one.id] as const;
  const sorted = rows.sort((a, b) => comparePlaces('-changed', placeOf(a), placeOf(b)));
  expect(sorted.map(({ id }) => id)).toEqual(['eu:c', 'eu:b', 'us:a']);
});
