// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cell } from '../../../state/cell.ts';
import { exampleInspector } from '../../../state/examples.ts';
import type { Inspector } from '../../../state/inspector.ts';
import { PageContext } from '../context.ts';
import { WaitsElsewhere } from './span-requests.tsx';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function page(): Inspector {
  return exampleInspector({});
}

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const note = () => screen.queryByText(/nothing to answer here/);

test('a wait without a request is said after a moment, and not while one comes or is there', () => {
  const inspector = page();
  const shown = (hasRequest: boolean) => (
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <WaitsElsewhere isWaiting hasRequest={hasRequest} />
    </PageContext>
  );
  const { rerender } = render(shown(false));
  wait(10_000);
  expect(note()).toBeNull(); // what waits is not known yet
  act(() => inspector.requests.state.set({ kind: 'ready' }));
  wait(1000);
  expect(note()).toBeNull();
  rerender(shown(true));
  wait(10_000);
  expect(note()).toBeNull();
  rerender(shown(false));
  wait(2000);
  expect(note()).not.toBeNull();
  rerender(shown(true));
  expect(note()).toBeNull();
});
