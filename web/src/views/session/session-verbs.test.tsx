// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Session } from '../../api/types.ts';
import { exampleSession } from '../../model/examples.ts';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { SessionVerbs } from './session-verbs.tsx';

// The question is a part of its own, which takes long to load where much else runs.
beforeAll(() => import('../parts/popups/popups.tsx'), 30_000);
afterEach(cleanup);

const LISTENING = { processes: [{ id: 'p1', name: 'agent' }] };

/** Show the buttons of a session for which these processes listen. */
function show(values: Partial<Session>, listeners = vi.fn(() => Promise.resolve(LISTENING))) {
  const inspector = exampleInspector({ listeners });
  const shown = (more: Partial<Session>) => (
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <SessionVerbs session={exampleSession({ ...values, ...more })} />
    </PageContext>
  );
  const { rerender } = render(shown({}));
  return {
    listeners,
    change: (more: Partial<Session>) => rerender(shown(more)),
    /** Names of the actions in the palette. */
    actions: () =>
      inspector.actions.groups.get().flatMap(({ actions }) => actions.map(({ name }) => name)),
  };
}

test.each([
  [{ status: 'running' } as const, 'Keep running'],
  [{ status: 'paused', paused_since: '2026-01-01T00:00:31.000Z' } as const, 'Keep paused'],
  [{ status: 'waiting', paused_since: '2026-01-01T00:00:31.000Z' } as const, 'Keep paused'],
  [{ status: 'waiting' } as const, 'Keep waiting'],
])('who does not stop a session keeps it as it is: %o', async (values, keep) => {
  show(values);
  fireEvent.click(await screen.findByRole('button', { name: 'Stop…' }));
  expect(await screen.findByRole('button', { name: keep })).toBeDefined();
});

test.each([
  { status: 'running', silent_since: '2026-01-01T00:00:31.000Z' } as const,
  { status: 'completed' } as const,
])('nobody is asked for a session that no process can listen for: %o', (values) => {
  const { listeners } = show(values);
  expect(listeners).not.toHaveBeenCalled();
});

test('a session has controls, and actions for them, while a process listens for it', async () => {
  vi.useFakeTimers();
  try {
    const listeners = vi.fn(() => Promise.resolve({ ...LISTENING, processes: [] as never[] }));
    const { change, actions } = show({ status: 'running' }, listeners);
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    await pass(0);
    expect([screen.queryAllByRole('button'), actions()]).toEqual([[], []]);
    listeners.mockResolvedValue(LISTENING as never);
    await pass(2000); // nothing new came of the session
    expect(screen.getByRole('button', { name: 'Pause' })).toBeDefined();
    expect(actions()).toContain('Stop session…');
    await pass(60_000);
    expect(listeners).toHaveBeenCalledTimes(2);
    listeners.mockResolvedValue({ processes: [] });
    change({ span_count: 99 });
    await pass(0);
    expect([screen.queryAllByRole('button'), actions()]).toEqual([[], []]);
  } finally {
    vi.useRealTimers();
  }
});
