import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleSpan } from '../examples.ts';
import { TimeAxis } from './gaps.ts';
import { minimapOf } from './minimap.ts';

const axis = new TimeAxis();
const extent = { start_ns: 0, end_ns: 1000 };
const spans = fc.array(
  fc.record({ offset: fc.nat({ max: 900 }), length: fc.nat({ max: 100 }), isTool: fc.boolean() }),
);

test('the columns together hold as much time as the spans took', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: 1, max: 300 }), (drawn, columns) => {
      const leaves = drawn.map(({ offset, length, isTool }) =>
        exampleSpan({ offset_ns: offset, duration_ns: length, kind: isTool ? 'tool' : 'llm' }),
      );
      const map = minimapOf({ leaves, frames: [] }, [], axis, extent, columns, 0);
      let sum = 0;
      for (const counts of map.kinds.values()) for (const count of counts) sum += count;
      const took = drawn.reduce((all, { length }) => all + length, 0);
      expect((sum * 1000) / columns).toBeCloseTo(took, 6);
    }),
  );
});

test('an error marks the column in which it ended, a wait and a span above others all that they last', () => {
  const failed = exampleSpan({ offset_ns: 100, duration_ns: 450, status: 'error' });
  const waited = exampleSpan({ offset_ns: 0, duration_ns: 400, waited: [[100, 200]] });
  const frames = [
    { start_ns: 300, end_ns: 550 },
    { start_ns: 800, end_ns: 1000 },
  ];
  const map = minimapOf({ leaves: [waited], frames }, [failed], axis, extent, 10, 0);
  expect([...map.errors]).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  expect([...map.frames]).toEqual([0, 0, 0, 1, 1, 1, 0, 0, 1, 1]);
  expect([...map.waits]).toEqual([0, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
});
