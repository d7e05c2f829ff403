import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan, forestOf } from '../examples.ts';
import { atOnce } from '../slices.ts';
import { criticalPathSteps } from './critical-path.ts';
import { gapsOf, union } from './gaps.ts';
import { shapeSteps } from './session-shape.ts';

const sessions = fc
  .array(
    fc.record({
      parent: fc.option(fc.nat(20)),
      offset_ns: fc.nat(1000),
      duration_ns: fc.nat(300),
    }),
    { maxLength: 20 },
  )
  .map((rows) =>
    rows.map(({ parent, ...times }, at) =>
      exampleSpan({
        span_id: String(at),
        parent_span_id: parent === null ? null : String(parent),
        ...times,
      }),
    ),
  );

test('a session is seen in steps as it is seen at once', () => {
  fc.assert(
    fc.property(sessions, (spans) => {
      const forest = forestOf(spans);
      const timesOf = ({ offset_ns, duration_ns }: SpanRow) => ({
        start_ns: offset_ns,
        end_ns: offset_ns + (duration_ns ?? 0),
      });
      const parents = new Set(
        spans.map((_, number) => forest.parentOf(number)).filter((parent) => parent >= 0),
      );
      const leaves = spans.filter((_, number) => !parents.has(number));
      const shape = atOnce(shapeSteps(forest, (number) => spans[number], 0, true));
      expect(shape.leaves).toEqual(leaves);
      const frames = spans.filter((_, number) => parents.has(number)).map(timesOf);
      expect(shape.frames).toEqual(union(frames));
      expect(shape.gaps).toEqual(gapsOf(leaves.map(timesOf), [], frames));
      const none = { start_ns: 0, end_ns: 0 };
      expect(shape.path).toEqual(
        atOnce(
          criticalPathSteps(forest, (number) => {
            const span = spans[number];
            return span === undefined ? none : timesOf(span);
          }),
        ),
      );
    }),
  );
});

test('a long session is seen in many steps, while more of it comes', () => {
  const span = (at: number) =>
    exampleSpan({
      span_id: String(at),
      parent_span_id: at === 0 ? null : '0',
      offset_ns: at * 10,
      duration_ns: at === 0 ? 1e6 : 5,
    });
  const spans = Array.from({ length: 5000 }, (_, at) => span(at));
  const forest = forestOf(spans);
  const steps = shapeSteps(forest, (number) => spans[number], 0, true);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    count += 1;
    const one = span(spans.length);
    spans.push(one);
    forest.put(one);
  }
  expect(count).toBeGreaterThan(10);
  expect(step.value.leaves.length).toBeGreaterThan(4999);
});
