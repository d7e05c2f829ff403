import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketsOf, parseTimeRange, timeRangeText } from './time-range.ts';

test.each([null, '', 'x', '2026-11-22/2026-11-21', '2026-11-22', '/', 'NaN/NaN', '2h'])(
  '%j stands for all time',
  (text) => {
    expect(parseTimeRange(text)).toEqual({ kind: 'all' });
  },
);

test('a range is the same once it was in an address', () => {
  const times = fc.tuple(fc.nat(4e12), fc.integer({ min: 1, max: 1e11 }));
  fc.assert(
    fc.property(times, ([since_ms, length_ms]) => {
      const range = { kind: 'between', since_ms, until_ms: since_ms + length_ms } as const;
      expect(parseTimeRange(timeRangeText(range) ?? '')).toEqual(range);
    }),
  );
  expect(timeRangeText(parseTimeRange('24h'))).toBe('24h');
});

test('the buckets of a chart cover its time, and are few', () => {
  const times = fc.tuple(fc.nat(2e12), fc.integer({ min: 1, max: 1e12 }));
  fc.assert(
    fc.property(times, ([since_ms, length_ms]) => {
      const until_ms = since_ms + length_ms;
      const found = bucketsOf(since_ms, until_ms);
      // As the service places them: they end with the one that holds `until_ms`.
      const last = Math.floor(found.until_ms / found.bucket_ms);
      const first_ms = (last - found.buckets + 1) * found.bucket_ms;
      expect(found.buckets).toBeLessThanOrEqual(92);
      expect(first_ms).toBeLessThanOrEqual(since_ms);
      expect((last + 1) * found.bucket_ms).toBeGreaterThanOrEqual(until_ms);
    }),
  );
});
