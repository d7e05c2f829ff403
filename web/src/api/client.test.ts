import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skeletonOf } from './client.ts';
import type { SpanColumns } from './types.ts';

const FIELDS = `trace_id span_id parent_span_id name kind status offset_ns duration_ns wait_ns waits
  waited model input_tokens output_tokens cost_usd size_bytes duplicate_of subject`.split(/\s+/);

test('columns become the rows that they were made of', () => {
  const values = fc.record(Object.fromEntries(FIELDS.map((name) => [name, fc.anything()])));
  fc.assert(
    fc.property(fc.array(values), (rows) => {
      const columns = Object.fromEntries(
        FIELDS.map((name) => [name, rows.map((row) => row[name])]),
      ) as SpanColumns['columns'];
      const page = { session_id: 's', epoch_ns: '0', next_cursor: null, as_of: '' };
      expect(skeletonOf({ ...page, columns })).toEqual({ ...page, spans: rows });
    }),
  );
});
