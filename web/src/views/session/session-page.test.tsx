// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { exampleSession, exampleSpan } from '../../model/examples.ts';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { Trace } from '../../state/trace.ts';
import { PageContext } from '../parts/context.ts';
import { SessionPage } from './session-page.tsx';

vi.hoisted(() => {
  // The waterfall asks while it is loaded; jsdom has none.
  window.matchMedia = () => ({ matches: false }) as MediaQueryList;
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('a session that could not be read is read again once the service is back, or by Retry', async () => {
  let error = new ApiError(0, 'no answer');
  const session = vi.fn(() => Promise.reject(error));
  const inspector = exampleInspector({ session });
  const trace = new Trace('s', inspector.api);
  await trace.load();
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <SessionPage trace={trace} />
    </PageContext>,
  );
  const connect = () => act(async () => inspector.feed.status.set({ kind: 'live' }));
  const lose = () =>
    act(async () => inspector.feed.status.set({ kind: 'reconnecting', retry_at_ms: 0 }));
  await lose();
  expect(screen.getByRole('alert').textContent).toContain('does not answer');

  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Retry' })));
  expect(session).toHaveBeenCalledTimes(2);

  error = new ApiError(404, 'No session “s”.');
  await connect();
  expect(session).toHaveBeenCalledTimes(3);
  expect(screen.getByRole('alert').textContent).toBe('No session “s”.');
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();

  await lose();
  await connect();
  expect(session).toHaveBeenCalledTimes(3);
});

test('a session in a history that is away says so below its title, until it can be read', async () => {
  vi.useFakeTimers();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  const page = {
    session_id: 's',
    epoch_ns: '0',
    as_of: '',
    next_cursor: null,
    spans: [exampleSpan()],
  };
  let isAway = true;
  let answered: Promise<void> | undefined;
  let answer = () => {};
  const spans = vi.fn(async () => {
    await answered;
    if (isAway) throw new ApiError(503, 'Cannot reach the history.');
    return { next_cursor: undefined, read: async () => page };
  });
  const row = exampleSession({ title: 'Release', status: 'completed', llm_calls: 0 });
  const inspector = exampleInspector({ session: async () => row, spans });
  inspector.router.replace('sessions/s?view=statistics');
  const trace = new Trace('s', inspector.api);
  await trace.load();
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <SessionPage trace={trace} />
    </PageContext>,
  );
  const shown = () => screen.queryByRole('heading', { name: 'Cannot reach the history.' });
  expect(screen.getByRole('heading', { name: 'Release' })).toBeDefined();
  expect(shown()).not.toBeNull();

  // The address may name a span: there is nothing to say of it.
  await act(async () => inspector.router.adjust({ span: 't.a' }));
  expect(screen.queryByText('Span not found in this session')).toBeNull();

  answered = new Promise((resolve) => {
    answer = resolve;
  });
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Retry' })));
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Loading …' })));
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(spans).toHaveBeenCalledTimes(2);
  await act(async () => answer());
  expect(screen.getByRole('button', { name: 'Retry' })).toBeDefined();
  expect(shown()).not.toBeNull();

  isAway = false;
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(shown()).toBeNull();
  expect(spans).toHaveBeenCalledTimes(3);
});
