import { expect, test, vi } from 'vitest';
import { KeyedStore } from './keyed-store.ts';

test('a change of one row is told to that row and to the whole, once', () => {
  const store = new KeyedStore<number>();
  const [a, b, all] = [vi.fn(), vi.fn(), vi.fn()];
  store.subscribeRow('a', a);
  store.subscribeRow('b', b);
  store.subscribe(all);
  store.commit([
    ['a', 1],
    ['c', 3],
  ]);
  expect([a, b, all].map((fn) => fn.mock.calls.length)).toEqual([1, 0, 1]);
});

test('an equal value is no change', () => {
  const store = new KeyedStore<number>();
  store.commit([['a', 1]]);
  const all = vi.fn();
  store.subscribe(all);
  store.commit([['a', 1]]);
  expect(all).not.toHaveBeenCalled();
  expect(store.version).toBe(1);
});

test('a row can go, and a listener too', () => {
  const store = new KeyedStore<number>();
  const a = vi.fn();
  const stop = store.subscribeRow('a', a);
  store.commit([['a', 1]]);
  stop();
  store.commit([['a', undefined]]);
  expect(a).toHaveBeenCalledTimes(1);
  expect(store.size).toBe(0);
});
