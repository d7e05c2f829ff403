// @vitest-environment jsdom
import { act, cleanup, fireEvent, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Api } from '../../api/client.ts';
import type { SpanRow } from '../../api/types.ts';
import { Trace } from '../../state/trace.ts';
import { useFollowEnd } from './follow-end.ts';

afterEach(cleanup);

test('only spans that come after the first read are new', () => {
  const trace = new Trace('s', {} as Api);
  const scroller = document.createElement('div');
  const isAtEnd = () => false;
  const add = (...keys: string[]) => {
    act(() => trace.spans.commit(keys.map((key) => [key, {} as SpanRow] as const)));
  };
  add('a');
  const { result, rerender } = renderHook(() => useFollowEnd(scroller, trace, true, isAtEnd, 1));
  fireEvent.scroll(scroller);
  add('b', 'c');
  rerender();
  expect(result.current.count).toBe(0);
  act(() => trace.state.set({ kind: 'ready' }));
  expect(result.current.count).toBe(0);
  add('d');
  rerender();
  expect(result.current.count).toBe(1);
});
