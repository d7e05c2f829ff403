import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce } from '../slices.ts';
import { SpanForest } from '../trace/span-forest.ts';
import { criticalPathSteps } from './critical-path.ts';
import type { TimeWindow } from './time-scale.ts';

interface Timed {
  readonly id: string;
  readonly parent: string | null;
  readonly from: number;
  readonly to: number;
}

function pathOf(spans: readonly Timed[]): [string, number, number][] {
  const forest = new SpanForest();
  for (const { id, parent, from } of spans) {
    const of = { trace_id: 't', span_id: id, parent_span_id: parent, duplicate_of: null };
    forest.put({ ...of, offset_ns: from });
  }
  const times = (number: number): TimeWindow => ({
    start_ns: spans[number]?.from ?? 0,
    end_ns: spans[number]?.to ?? 0,
  });
  return [...atOnce(criticalPathSteps(forest, times))]
    .flatMap(([number, stretches]) =>
      stretches.map(
        ({ start_ns, end_ns }) =>
          [spans[number]?.id ?? '', start_ns, end_ns] as [string, number, number],
      ),
    )
    .sort((a, b) => a[1] - b[1]);
}

function span(id: string, parent: string | null, from: number, to: number): Timed {
  return { id, parent, from, to };
}

test('the time before the end belongs to the child that finished last, then to the one before', () => {
  const spans = [
    span('root', null, 0, 100),
    span('early', 'root', 10, 40),
    span('beside', 'root', 20, 45),
    span('late', 'root', 50, 90),
  ];
  expect(pathOf(spans)).toEqual([
    ['root', 0, 20],
    ['beside', 20, 45],
    ['root', 45, 50],
    ['late', 50, 90],
    ['root', 90, 100],
  ]);
});

test('what still ran when the next one began was not waited for', () => {
  const spans = [
    span('root', null, 0, 100),
    span('overlaps', 'root', 0, 60),
    span('late', 'root', 50, 100),
  ];
  expect(pathOf(spans)).toEqual([
    ['root', 0, 50],
    ['late', 50, 100],
  ]);
});

test('a child that goes on after its parent counts up to its end', () => {
  expect(pathOf([span('root', null, 0, 10), span('child', 'root', 5, 50)])).toEqual([
    ['root', 0, 5],
    ['child', 5, 10],
  ]);
});

test('several roots are gone through like the children of one', () => {
  expect(pathOf([span('first', null, 0, 10), span('second', null, 40, 50)])).toEqual([
    ['first', 0, 10],
    ['second', 40, 50],
  ]);
});

test('a chain of 20 000 spans has a path', () => {
  const chain = Array.from({ length: 20_000 }, (_, n) =>
    span(String(n), n === 0 ? null : String(n - 1), n, 50_000 - n),
  );
  expect(pathOf(chain)).toHaveLength(39_999);
});

const anySpans = fc
  .array(fc.record({ parent: fc.nat(), from: fc.nat({ max: 50 }), length: fc.nat({ max: 50 }) }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((drawn) =>
    drawn.map(({ parent, from, length }, n) =>
      n === 0 ? span('0', null, 0, 100) : span(String(n), String(parent % n), from, from + length),
    ),
  );

test('each moment of the root is on the path once, whatever is below it', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const path = pathOf(spans);
      let reached = 0;
      for (const [, from, to] of path) {
        expect(from).toBe(reached);
        expect(to).toBeGreaterThan(from);
        reached = to;
      }
      expect(reached).toBe(100);
    }),
  );
});

test('a stretch lies within its span', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      for (const [id, from, to] of pathOf(spans)) {
        const { from: start, to: end } = spans[Number(id)] ?? { from: 0, to: 0 };
        expect(from).toBeGreaterThanOrEqual(start);
        expect(to).toBeLessThanOrEqual(end);
      }
    }),
  );
});
