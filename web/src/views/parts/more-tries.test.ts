// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeyedStore } from '../../state/keyed-store.ts';
import { passing } from '../../state/passing.ts';
import { failed } from '../../state/sessions.ts';
import { askAgain } from './ask-again.ts';
import { useMoreTries } from './more-tries.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Seconds at which a try was made. */
function timed() {
  const begun_ms = Date.now();
  const at: number[] = [];
  return { at, note: () => at.push((Date.now() - begun_ms) / 1000) };
}

test('tries come after pauses that grow up to a limit, and begin anew after a success', () => {
  const { at, note } = timed();
  const again = () => {
    note();
    rerender({ failure: { try: at.length } });
  };
  const { rerender } = renderHook(({ failure }) => useMoreTries(failure, again), {
    initialProps: { failure: { try: 0 } as object | undefined },
  });
  vi.advanceTimersByTime(59_000);
  expect(at).toEqual([2, 6, 14, 29, 44, 59]);
  rerender({ failure: undefined });
  vi.advanceTimersByTime(60_000);
  expect(at.length).toBe(6);
  rerender({ failure: {} });
  vi.advanceTimersByTime(2000);
  expect(at.length).toBe(7);
});

test('only what may pass by itself is tried again', () => {
  const with_ = (status: number) => passing(failed(Object.assign(new Error(), { status })));
  expect([0, 503].map((status) => with_(status) !== undefined)).toEqual([true, true]);
  expect([400, 404, 422].map(with_)).toEqual([undefined, undefined, undefined]);
});

test('an answer that fails or is not whole is asked for after pauses that grow', async () => {
  const { at, note } = timed();
  const stop = askAgain(new KeyedStore(), 400, async () => {
    note();
    return at.length < 4 ? 'failed' : true;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(at).toEqual([0, 2, 6, 14]);
  stop();
});
