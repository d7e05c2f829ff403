import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSession as session } from './examples.ts';
import { compareNewestFirst } from './session-order.ts';

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
