import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Api } from '../api/client.ts';
import type { Reading, SpanRow, Transcript } from '../api/types.ts';
import { exampleSpan } from '../model/examples.ts';
import { spanKey } from '../model/trace/span-key.ts';
import { Readings, type Wanted } from './transcript.ts';

const row = (number: number, more: Partial<SpanRow> = {}): SpanRow =>
  exampleSpan({ span_id: String(number).padStart(16, '0'), status: 'ok', ...more });
const wanted = (one: SpanRow, more: Partial<Wanted> = {}): Wanted => ({
  key: spanKey(one),
  row: one,
  before: undefined,
  momentCount: 0,
  ...more,
});

function service() {
  const requests: (readonly string[])[] = [];
  let refuse = () => {};
  const answers: ((left_out?: string[], missing?: string[]) => void)[] = [];
  const transcript = (_: string, spans: readonly string[]): Promise<Transcript> => {
    requests.push(spans);
    return new Promise((resolve, reject) => {
      refuse = () => reject(new Error('gone'));
      answers.push((left_out = [], missing = []) => {
        const readings = spans
          .filter((span) => !left_out.includes(span) && !missing.includes(span))
          .map((span) => {
            const [trace_id, span_id] = (span.split('~')[0] ?? '').split('.');
            return { trace_id, span_id } as Reading;
          });
        resolve({ session_id: 's', readings, left_out, as_of: 'x.1' });
      });
    });
  };
  const settle = async (...how: Parameters<(typeof answers)[number]>) => {
    answers.shift()?.(...how);
    await vi.advanceTimersByTimeAsync(0);
  };
  const fail = async () => {
    answers.shift();
    refuse();
    await vi.advanceTimersByTimeAsync(0);
  };
  const readings = new Readings('s', { transcript } as unknown as Api);
  return { requests, settle, fail, readings };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('what is wanted is asked for once, with the call before it', async () => {
  const { requests, settle, readings } = service();
  const [one, two] = [wanted(row(1)), wanted(row(2), { before: spanKey(row(1)) })];
  readings.want([one, two]);
  expect(requests).toEqual([[one.key, `${two.key}~${one.key}`]]);
  await settle();
  readings.want([one, two]);
  expect(requests).toHaveLength(1);
  expect(readings.reads.get(one.key)?.of).toBe(one);
});

test('what is wanted meanwhile is asked for next, what is not wanted any more is not', async () => {
  const { requests, settle, readings } = service();
  readings.want([wanted(row(1))]);
  readings.want([wanted(row(2))]);
  readings.want([wanted(row(3))]);
  await settle();
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(requests.slice(1)).toEqual([[spanKey(row(3))]]);
});

test('where much is wanted, no request pauses', async () => {
  const { requests, settle, readings } = service();
  readings.want(Array.from({ length: 100 }, (_, number) => wanted(row(number))));
  await settle();
  expect(requests.map((spans) => spans.length)).toEqual([40, 40]);
});

test('a row that ended is read again soon, one that runs after a while', async () => {
  const { requests, settle, readings } = service();
  const running = (momentCount: number) =>
    wanted(row(1, { status: 'running', duration_ns: null }), { momentCount });
  readings.want([running(0)]);
  await settle();
  readings.want([running(1)]);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(700);
  expect(requests).toHaveLength(2);
  await settle();
  readings.want([wanted(row(1))]);
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(3);
});

test('a span that the service does not have is not asked for without end', async () => {
  const { requests, settle, readings } = service();
  readings.want([wanted(row(1))]);
  await settle([], [spanKey(row(1))]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(3000);
  expect(requests).toHaveLength(2);
});

test('what an answer had no room for is asked for at once', async () => {
  const { requests, settle, readings } = service();
  const [one, two] = [wanted(row(1)), wanted(row(2))];
  readings.want([one, two]);
  await settle([two.key]);
  expect(requests[1]).toEqual([two.key]);
});

test('what cannot be read is asked for after pauses that grow, and why is told until it is', async () => {
  const { requests, settle, fail, readings } = service();
  readings.want([wanted(row(1))]);
  await fail();
  expect(readings.problem.get()).toBe('gone');
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(2);
  await fail();
  readings.want(Array.from({ length: 50 }, (_, number) => wanted(row(number))));
  await vi.advanceTimersByTimeAsync(3900);
  expect(requests).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(3);
  await settle();
  expect(readings.problem.get()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(4);
});
