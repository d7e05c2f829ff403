import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skeletonOf } from './client.ts';
import type { SpanColumns, SpanRow } from './types.ts';

test('columns become the rows that they were made of', () => {
  const row = fc.record({ span_id: fc.string(), name: fc.string(), offset_ns: fc.integer() });
  fc.assert(
    fc.property(fc.array(row), (values) => {
      const columns = {
        span_id: values.map(({ span_id }) => span_id),
        name: values.map(({ name }) => name),
        offset_ns: values.map(({ offset_ns }) => offset_ns),
      } as SpanColumns['columns'];
      const page = { session_id: 's', epoch_ns: '0', next_cursor: null, as_of: '' };
      expect(skeletonOf({ ...page, columns })).toEqual({ ...page, spans: values as SpanRow[] });
    }),
  );
});
