import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Api } from '../api/client.ts';
import type { Session, SpanRow, StreamEvent } from '../api/types.ts';
import { exampleSpan } from '../model/examples.ts';
import { Trace } from './trace.ts';

function row(id: string, values: Partial<SpanRow> = {}): SpanRow {
  return exampleSpan({ span_id: id, ...values });
}

function spanEvent(span: SpanRow, session_id = 's'): StreamEvent {
  return { type: 'SpanUpdated', time: '', session_id, span };
}

/** A service whose spans the test changes; a page holds two rows. */
function service(rows: Map<string, SpanRow>): Api {
  const pageFrom = (session_id: string, from: number) => {
    const all = [...rows.values()];
    const next_cursor = from + 2 < all.length ? String(from + 2) : undefined;
    return {
      next_cursor,
      page: { session_id, epoch_ns: '0', spans: all.slice(from, from + 2), as_of: '' },
    };
  };
  return {
    session: (id: string) => Promise.resolve({ id, status: 'running' } as Session),
    spans: (session_id: string) => {
      const { next_cursor, page } = pageFrom(session_id, 0);
      return Promise.resolve({ next_cursor, read: () => Promise.resolve(page) });
    },
    spansAfter: async (session_id: string, { cursor }: { cursor: string }) =>
      (async function* () {
        for (let at: string | undefined = cursor; at !== undefined; ) {
          const { next_cursor, page } = pageFrom(session_id, Number(at));
          yield page;
          at = next_cursor;
        }
      })(),
  } as unknown as Api;
}

test('the pages of the skeleton are all read', async () => {
  const rows = new Map(['a', 'b', 'c', 'd', 'e'].map((id) => [id, row(id)]));
  const trace = new Trace('s', service(rows));
  await trace.load();
  expect([...trace.spans.keys()]).toEqual(['t.a', 't.b', 't.c', 't.d', 't.e']);
  expect(trace.state.get()).toEqual({ kind: 'ready' });
});

test('the first cause is the one of the row of the session; without it that of the errors', async () => {
  const rows = new Map([
    ['a', row('a', { status: 'error', duration_ns: 5 })],
    ['b', row('b', { status: 'error', duration_ns: 9 })],
  ]);
  const ended = { id: 's', status: 'failed', cause_span: 't.b' } as Session;
  const trace = new Trace('s', { ...service(rows), session: () => Promise.resolve(ended) });
  await trace.load();
  expect(trace.firstCause()?.span_id).toBe('b');
  trace.session.set({ ...ended, cause_span: 't.gone' });
  expect(trace.firstCause()?.span_id).toBe('a');
});

test('reading again drops what the service no longer has', async () => {
  const rows = new Map(['a', 'b'].map((id) => [id, row(id)]));
  const trace = new Trace('s', service(rows));
  await trace.load();
  rows.delete('a');
  await trace.load();
  expect([...trace.spans.keys()]).toEqual(['t.b']);
});

test('spans of other sessions are not ours', () => {
  const trace = new Trace('s', service(new Map()));
  trace.apply([spanEvent(row('a'), 'other')]);
  expect(trace.spans.size).toBe(0);
});

test('a new row changes the structure, a changed one does not', () => {
  const trace = new Trace('s', service(new Map()));
  trace.apply([spanEvent(row('a', { status: 'running', duration_ns: null }))]);
  const before = trace.structure.get();
  trace.apply([spanEvent(row('a'))]);
  expect(trace.structure.get()).toBe(before);
  trace.apply([spanEvent(row('a', { parent_span_id: 'b' }))]);
  expect(trace.structure.get()).toBe(before + 1);
});

test('frozen, nothing moves; thawed, everything that came is there', () => {
  const trace = new Trace('s', service(new Map()));
  trace.apply([spanEvent(row('a', { status: 'running', duration_ns: null }))]);
  trace.hold(1000);
  trace.apply([spanEvent(row('a')), spanEvent(row('b'))]);
  expect(trace.spans.get('t.a')?.status).toBe('running');
  expect(trace.freeze.get()).toEqual({ since_ms: 1000, behind: 2 });
  trace.thaw();
  expect(trace.spans.get('t.a')?.status).toBe('ok');
  expect(trace.spans.size).toBe(2);
});

test('a span waits from the question to the answer, or to its end', () => {
  const trace = new Trace('s', service(new Map()));
  const moment = { time: '', session_id: 's', trace_id: 't', name: '', attributes: {} };
  trace.apply([
    { ...moment, type: 'WaitingOnSignal', request: null, span_id: 'a' },
    { ...moment, type: 'WaitingOnSignal', request: null, span_id: 'b' },
  ]);
  expect([...trace.waiting.get()]).toEqual(['t.a', 't.b']);
  trace.apply([
    { ...moment, type: 'SignalReceived', request: null, span_id: 'a' },
    spanEvent(row('b')),
  ]);
  expect(trace.waiting.get().size).toBe(0);
});

test('a page that follows the feed ends with the state of the store', async () => {
  const change = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    isEnd: fc.boolean(),
    parent: fc.option(fc.constantFrom('a', 'b', 'c')),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change), fc.nat(), fc.nat(), async (changes, from, read) => {
      const rows = new Map<string, SpanRow>();
      const trace = new Trace('s', service(rows));
      const covered = from % (changes.length + 1);
      const loaded = covered + (read % (changes.length - covered + 1));
      for (const [at, { id, isEnd, parent }] of changes.entries()) {
        if (at === loaded) await trace.load();
        const hasEnded = isEnd || rows.get(id)?.status === 'ok';
        const next = row(id, {
          change: at + 1,
          parent_span_id: parent,
          status: hasEnded ? 'ok' : 'running',
          duration_ns: hasEnded ? 1 : null,
        });
        rows.set(id, next);
        // The feed covers the session from here on; the skeleton is read later.
        if (at >= covered) trace.apply([spanEvent(next)]);
      }
      if (loaded === changes.length) await trace.load();
      const shown = Object.fromEntries([...trace.spans.values()].map((one) => [one.span_id, one]));
      expect(shown).toEqual(Object.fromEntries(rows));
    }),
  );
});

test('the newest rows stay in whatever order they come, and none that moved away comes back', async () => {
  // The n-th is change n + 1: a new version of a span, or its move to another session.
  const history = fc.array(fc.record({ id: fc.constantFrom('a', 'b'), isMove: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  });
  const arrivals = fc.array(fc.nat(99), { maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(history, arrivals, arrivals, async (all, early, late) => {
      const rows = new Map<string, SpanRow>();
      const events = all.map(({ id, isMove }, at): StreamEvent => {
        const change = at + 1;
        const next = row(id, { change });
        if (!isMove) {
          rows.set(id, next);
          return spanEvent(next);
        }
        rows.delete(id);
        return {
          type: 'SessionUpdated',
          time: '',
          session_id: 'other',
          session: { id: 'other' } as Session,
          moved_from: 's',
          moved_change: change,
        };
      });
      const some = (numbers: readonly number[]) =>
        numbers.flatMap((number) => events[number % events.length] ?? []);
      const trace = new Trace('s', service(rows));
      for (const event of [...some(early), ...[...events].reverse(), ...some(late)]) {
        trace.apply([event]);
        await new Promise((done) => setImmediate(done));
      }
      await trace.load();
      trace.apply(some(late));
      const shown = Object.fromEntries([...trace.spans.values()].map((one) => [one.span_id, one]));
      expect(shown).toEqual(Object.fromEntries(rows));
    }),
  );
});

test('while pages come, rows are arranged anew when they are four times as many, and at the end', async () => {
  const rows = new Map(Array.from({ length: 25 }, (_, at) => [String(at), row(String(at))]));
  const trace = new Trace('s', service(rows));
  const sizes: number[] = [];
  trace.structure.subscribe(() => sizes.push(trace.spans.size));
  await trace.load();
  expect(sizes).toEqual([2, 8, 25]);
});

test('a load that fails between two pages leaves the rows that came arranged', async () => {
  const whole = service(
    new Map(Array.from({ length: 9 }, (_, at) => [String(at), row(String(at))])),
  );
  const trace = new Trace('s', {
    ...whole,
    spansAfter: async (id: string, after: { cursor: string; limit: number }) =>
      (async function* () {
        let count = 2;
        for await (const page of await whole.spansAfter(id, after)) {
          if (count === 6) throw new Error('gone');
          count += page.spans.length;
          yield page;
        }
      })(),
  });
  let arranged = 0;
  trace.structure.subscribe(() => {
    arranged = trace.spans.size;
  });
  await trace.load();
  expect(arranged).toBe(6);
  expect(trace.state.get().kind).toBe('failed');
});

test('of many spans not every change arranges the rows anew, and the last one does', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const trace = new Trace('s', service(new Map()));
    const many = Array.from({ length: 20_000 }, (_, at) => spanEvent(row(String(at))));
    trace.apply(many);
    const sizes: number[] = [];
    trace.structure.subscribe(() => sizes.push(trace.spans.size));
    for (const id of ['x', 'y', 'z']) trace.apply([spanEvent(row(id))]);
    expect(sizes).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(sizes).toEqual([20_003]);
    trace.apply([spanEvent(row('later'))]);
    expect(sizes).toEqual([20_003, 20_004]);
  } finally {
    vi.useRealTimers();
  }
});
