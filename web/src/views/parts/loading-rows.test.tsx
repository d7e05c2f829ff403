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
  const shown = () => screen.getByRole('status').textContent;
  expect(shown()).toBe('Loading');
  act(() => status.set({ kind: 'reconnecting', retry_at_ms: 0 }));
  expect(shown()).toContain('Is inspector serve running?');
  act(() => status.set({ kind: 'refused', status: 401 }));
  expect(shown()).toContain('inspector token');
});
