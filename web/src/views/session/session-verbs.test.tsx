// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../api/types.ts';
import { exampleSession } from '../../model/examples.ts';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { SessionVerbs } from './session-verbs.tsx';

// The question is a part of its own, which takes long to load where much else runs.
beforeAll(() => import('../parts/popups/popups.tsx'), 30_000);
afterEach(cleanup);

/** Show the buttons of a session; return the names of its actions in the palette. */
function show(values: Partial<Session>): readonly string[] {
  const inspector = exampleInspector({});
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <SessionVerbs session={exampleSession(values)} />
    </PageContext>,
  );
  return inspector.actions.groups.get().flatMap(({ actions }) => actions.map(({ name }) => name));
}

test.each([
  [{ status: 'running' } as const, 'Keep running'],
  [{ status: 'paused', paused_since: '2026-01-01T00:00:31.000Z' } as const, 'Keep paused'],
  [{ status: 'waiting', paused_since: '2026-01-01T00:00:31.000Z' } as const, 'Keep paused'],
  [{ status: 'waiting' } as const, 'Keep waiting'],
])('who does not stop a session keeps it as it is: %o', async (values, keep) => {
  show(values);
  fireEvent.click(screen.getByRole('button', { name: 'Stop…' }));
  expect(await screen.findByRole('button', { name: keep })).toBeDefined();
});

test('a session that no process listens for has no controls, nor actions for them', () => {
  const actions = show({ status: 'running', silent_since: '2026-01-01T00:00:31.000Z' });
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(actions).toEqual([]);
  expect(show({ status: 'running' })).toContain('Stop session…');
});
