// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Cell } from '../../state/cell.ts';
import type { ConnectionStatus } from '../../state/event-source.ts';
import type { Inspector } from '../../state/inspector.ts';
import { PageContext } from './context.ts';
import { LoadingRows } from './loading-rows.tsx';

afterEach(cleanup);

test('a service that does not answer is told from one that is slow', () => {
  const status = new Cell<ConnectionStatus>({ kind: 'connecting' });
  const inspector = { feed: { status } } as unknown as Inspector;
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <LoadingRows lengths={[60, 40]} />
    </PageContext>,
  );
  const said = () => screen.getByRole('status').textContent;
  expect(said()).toBe('Loading');
  act(() => status.set({ kind: 'reconnecting', retry_at_ms: 0 }));
  expect(said()).toContain('Is inspector serve running?');
  act(() => status.set({ kind: 'refused', status: 401 }));
  expect(said()).toContain('inspector token');
});
