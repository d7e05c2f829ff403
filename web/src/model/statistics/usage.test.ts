import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import { usageOverTime } from './usage.ts';

const spans = fc.array(
  fc.record({
    offset_ns: fc.integer({ min: -1000, max: 1000 }),
    duration_ns: fc.option(fc.nat(1000)),
    tokens: fc.option(fc.nat(50)),
  }),
  { maxLength: 40 },
);

test('whatever was used when, it is all in the chart', () => {
  fc.assert(
    fc.property(spans, (drawn) => {
      const rows = drawn.map(({ offset_ns, duration_ns }) =>
        exampleSpan({ offset_ns, duration_ns }),
      );
      const counted = drawn.map(({ tokens }) =>
        tokens === null
          ? undefined
          : { input_tokens: tokens, output_tokens: 1, cost_nanodollars: 1e9 },
      );
      const found = usageOverTime(rows, counted, 12);
      const sum = found?.buckets.reduce((total, one) => total + one.input_tokens, 0) ?? 0;
      expect(sum).toBe(drawn.reduce((total, { tokens }) => total + (tokens ?? 0), 0));
    }),
  );
});
