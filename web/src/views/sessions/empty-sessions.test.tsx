// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { EmptySessions } from './empty-sessions.tsx';

afterEach(cleanup);

test('a page over several services does not name itself as the address to send to', () => {
  const inspector = exampleInspector({});
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <EmptySessions />
    </PageContext>,
  );
  expect(screen.getAllByRole('tab')).not.toEqual([]);
  act(() => inspector.writers.set(['eu', 'us']));
  expect(screen.queryAllByRole('tab')).toEqual([]);
  expect(screen.getByText(/eu, us/)).toBeTruthy();
});
