import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import { entersService } from './services.ts';
import { spanKey } from './span-key.ts';

test('a service is named where a trace enters it', () => {
  const rows = [
    exampleSpan({ span_id: 'a', service: 'gateway' }),
    exampleSpan({ span_id: 'b', parent_span_id: 'a', service: 'gateway' }),
    exampleSpan({ span_id: 'c', parent_span_id: 'b', service: 'orders' }),
    exampleSpan({ span_id: 'd', parent_span_id: 'c' }),
  ];
  const byKey = new Map(rows.map((row) => [spanKey(row), row]));
  expect(rows.filter((row) => entersService(row, byKey)).map((row) => row.span_id)).toEqual([
    'a',
    'c',
  ]);
});
