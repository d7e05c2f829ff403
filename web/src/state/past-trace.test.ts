import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Api } from '../api/client.ts';
import type { SpanRow } from '../api/types.ts';
import { exampleSpan } from '../model/examples.ts';
import { Moments } from '../model/trace/instant.ts';
import { AS_AT_FIRST } from '../model/trace/span-forest.ts';
import { PastTrace } from './past-trace.ts';
import { TimeTravel } from './time-travel.ts';
import { Trace } from './trace.ts';

function traceOf(rows: readonly SpanRow[]): Trace {
  const trace = new Trace('s', {} as Api);
  trace.apply(
    rows.map((span) => ({ type: 'SpanUpdated' as const, time: '', session_id: 's', span })),
  );
  return trace;
}

/** All that a view can see of it. */
function seen({ forest, spans, tally }: Trace) {
  const { count, spanIndex, depth } = forest.arrange({ ...AS_AT_FIRST, all: false });
  return {
    rows: Array.from({ length: count }, (_, row) => {
      const key = forest.keyOf(spanIndex[row] ?? -1) ?? '';
      return [depth[row], spans.get(key)];
    }),
    count: spans.size,
    running: [...tally.running.keys()].sort(),
    errors: [...tally.errors.keys()].sort(),
  };
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Spans below each other in any way: a child may begin before its parent, or be its grandparent. */
const arbitraryRows = fc.uniqueArray(
  fc.record({
    span_id: fc.constantFrom(...IDS),
    parent_span_id: fc.option(fc.constantFrom(...IDS, 'missing')),
    offset_ns: fc.nat(90),
    duration_ns: fc.nat(60),
    status: fc.constantFrom<SpanRow['status']>('ok', 'error'),
  }),
  { selector: ({ span_id }) => span_id },
);

test('wherever one has gone before, an instant looks the same', () => {
  fc.assert(
    fc.property(arbitraryRows, fc.array(fc.nat(160), { minLength: 1 }), (values, instants) => {
      const live = traceOf(values.map(exampleSpan));
      const past = new PastTrace(live, 0);
      for (const at_ns of instants) past.show(at_ns);
      const direct = new PastTrace(live, instants.at(-1) ?? 0);
      expect(seen(past)).toEqual(seen(direct));
      past.show(1000);
      expect(seen(past)).toEqual(seen(live));
      past.close();
      direct.close();
    }),
  );
});

test('a step reads only what changed on the way', () => {
  const rows = IDS.map((span_id, at) =>
    exampleSpan({ span_id, offset_ns: at * 10, duration_ns: 5 }),
  );
  const past = new PastTrace(traceOf(rows), 42);
  const changed = vi.fn();
  for (const id of IDS) past.spans.subscribeRow(`t.${id}`, () => changed(id));
  past.show(51);
  expect(changed.mock.calls.flat()).toEqual(['e', 'f']);
  past.show(54);
  expect(changed).toHaveBeenCalledTimes(2);
  past.close();
});

test('what comes while one is in the past is there, at its time', () => {
  vi.useFakeTimers();
  const live = traceOf([exampleSpan({ span_id: 'a', status: 'running', duration_ns: null })]);
  const past = new PastTrace(live, 50);
  const late = exampleSpan({ span_id: 'b', offset_ns: 40, duration_ns: 5 });
  const later = exampleSpan({ span_id: 'c', offset_ns: 60 });
  for (const span of [late, later])
    live.apply([{ type: 'SpanUpdated', time: '', session_id: 's', span }]);
  vi.runAllTimers();
  expect([...past.spans.keys()].sort()).toEqual(['t.a', 't.b']);
  past.close();
  vi.useRealTimers();
});

test('what was read when the reader came near is not read again, unless the session changed', async () => {
  const live = traceOf([exampleSpan({ span_id: 'a', offset_ns: 10, duration_ns: 100 })]);
  const travel = new TimeTravel(live, () => undefined);
  const readAtOnce = vi.spyOn(Moments, 'of');
  await travel.prepare();
  travel.go(20);
  expect([readAtOnce.mock.calls.length, travel.shown.get().spans.size]).toEqual([0, 1]);
  travel.go(undefined);
  const span = exampleSpan({ span_id: 'b', offset_ns: 15 });
  live.apply([{ type: 'SpanUpdated', time: '', session_id: 's', span }]);
  travel.go(20);
  expect([readAtOnce.mock.calls.length, travel.shown.get().spans.size]).toEqual([1, 2]);
  travel.close();
});

test('the views follow once a frame, and the end is the session itself', () => {
  const live = traceOf([exampleSpan({ offset_ns: 10, duration_ns: 100 })]);
  const frames: (() => void)[] = [];
  const travel = new TimeTravel(live, (run) => frames.push(run));
  travel.go(20);
  const past = travel.shown.get();
  travel.go(15);
  travel.go(5);
  expect([travel.at_ns.get(), past.at_ns.get(), frames.length]).toEqual([5, 20, 1]);
  for (const run of frames.splice(0)) run();
  expect([past.at_ns.get(), past.spans.size]).toEqual([5, 0]);
  travel.step(1, 110);
  expect(travel.at_ns.get()).toBe(10);
  travel.step(1, 110);
  expect([travel.at_ns.get(), travel.shown.get()]).toEqual([undefined, live]);
  travel.step(-1, 110);
  expect(travel.at_ns.get()).toBe(10);
});
