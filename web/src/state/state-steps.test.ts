import { expect, test } from 'vitest';
import type { StateReading, StateStep } from '../api/types.ts';
import { captureKey, StateSteps } from './state-steps.ts';

const state: StateReading = {
  offset_ns: 5,
  name: 'cart',
  description: null,
  value: null,
  patch: null,
};
const capture = { trace_id: 't', span_id: 's', state, later: 0, epoch_ns: '1000000007' };

function step(position: number, time = '1970-01-01T00:00:01.000000012Z'): StateStep {
  return { name: 'cart', position, here: [3, 5, 8], at: { time } } as unknown as StateStep;
}

test('an earlier capture of a span is found by its distance from the last one', async () => {
  const requested: unknown[] = [];
  const steps = new StateSteps('s', {
    spanState: async (_span, parameters) => {
      requested.push(parameters);
      return step(parameters.position ?? 8);
    },
  });
  const earlier = { ...capture, later: 2 };
  steps.want(earlier);
  await new Promise((resolve) => steps.steps.subscribeRow(captureKey(earlier), () => resolve(1)));
  expect(steps.steps.get(captureKey(earlier))?.position).toBe(3);
  expect(requested).toEqual([{ name: 'cart' }, { name: 'cart', position: 3 }]);
});

test('what left the view before its turn is not read', async () => {
  const read: string[] = [];
  let finish = () => {};
  const steps = new StateSteps('s', {
    spanState: ({ span_id }) => {
      read.push(span_id);
      return new Promise((resolve) => {
        finish = () => resolve(step(8));
      });
    },
  });
  const last = { ...capture, span_id: 'last' };
  steps.want(capture);
  steps.want({ ...capture, span_id: 'gone' })();
  steps.want(last);
  const isNext = new Promise((resolve) =>
    steps.steps.subscribeRow(captureKey(capture), () => resolve(1)),
  );
  finish();
  await isNext;
  await Promise.resolve();
  expect(read).toEqual(['s', 'last']);
});

test('the step of a later capture is not taken for this one', async () => {
  const times = ['1970-01-01T00:00:02.000000000Z', undefined];
  const steps = new StateSteps('s', { spanState: async () => step(8, times.shift()) });
  steps.want(capture);
  const next = { ...capture, span_id: 'next' };
  steps.want(next);
  await new Promise((resolve) => steps.steps.subscribeRow(captureKey(next), () => resolve(1)));
  expect(steps.steps.get(captureKey(capture))).toBeUndefined();
});
