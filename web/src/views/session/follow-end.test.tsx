// @vitest-environment jsdom
import { act, cleanup, fireEvent, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Api } from '../../api/client.ts';
import { Trace } from '../../state/trace.ts';
import { useFollowEnd } from './follow-end.ts';

afterEach(cleanup);

test('only rows that come after the first read are new: none of a span that is folded away', () => {
  const trace = new Trace('s', {} as Api);
  const scroller = document.createElement('div');
  let rows = { count: 1, rowOf: Int32Array.of(0) };
  const { result, rerender } = renderHook(() =>
    useFollowEnd(scroller, trace, true, () => false, rows),
  );
  const show = (...rowOf: number[]) => {
    rows = { count: rowOf.length, rowOf: Int32Array.from(rowOf) };
    rerender();
  };
  fireEvent.scroll(scroller);
  show(0, 1, 2);
  expect(result.current.count).toBe(0);
  act(() => trace.state.set({ kind: 'ready' }));
  expect(result.current.count).toBe(0);
  show(0, 1, 2, 3, -1, -1);
  expect(result.current.count).toBe(1);
  show(0, 1, 2, 3, 4, 5);
  expect(result.current.count).toBe(3);
});
