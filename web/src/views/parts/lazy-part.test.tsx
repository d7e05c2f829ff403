// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from './context.ts';
import { Guarded } from './guarded.tsx';
import { lazyPart, loadAllParts } from './lazy-part.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {}); // React tells of what is caught
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** A part whose code is loaded by the service while `isUp`. */
function part() {
  const service = { isUp: false, loads: 0 };
  const Shown = lazyPart<{ children?: ReactNode }>(async () => {
    service.loads += 1;
    if (!service.isUp) throw new TypeError('Failed to fetch dynamically imported module');
    return () => <p>the chart</p>;
  });
  return { service, Shown };
}

test('a part that could not be loaded says so once, and is loaded by Retry', async () => {
  const { service, Shown } = part();
  await act(async () => {
    render(
      <Guarded name="Chart">
        <Shown />
      </Guarded>,
    );
  });
  expect((await screen.findByRole('alert')).textContent).toContain('“Chart” could not be loaded');
  expect(service.loads).toBe(1);
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Retry' })));
  await vi.waitFor(() => expect(service.loads).toBe(2));
  expect(await screen.findByRole('alert')).toBeDefined();
  service.isUp = true;
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Retry' })));
  expect(await screen.findByText('the chart')).toBeDefined();
  expect(service.loads).toBe(3);
});

test('going elsewhere and back is another try', async () => {
  const { service, Shown } = part();
  const at = (address: string, child: ReactNode) => (
    <Guarded name="Page" of={address}>
      {child}
    </Guarded>
  );
  const { rerender } = await act(async () => render(at('compare', <Shown />)));
  await screen.findByRole('alert');
  rerender(at('sessions', <p>the list</p>));
  expect(screen.getByText('the list')).toBeDefined();
  service.isUp = true;
  await act(async () => rerender(at('compare', <Shown />)));
  expect(await screen.findByText('the chart')).toBeDefined();
});

test('what was loaded ahead is shown at once, and what failed ahead is loaded with its use', async () => {
  vi.stubGlobal('requestIdleCallback', (call: () => void) => setTimeout(call));
  const { service, Shown } = part();
  await loadAllParts(new AbortController().signal);
  expect(service.loads).toBe(1);
  service.isUp = true;
  await loadAllParts(new AbortController().signal);
  service.isUp = false;
  render(
    <Guarded name="Chart">
      <Shown />
    </Guarded>,
  );
  expect(screen.getByText('the chart')).toBeDefined();
  expect(service.loads).toBe(2);
});

test.each([false, true])(
  'another version is shown of where the service has one: %s',
  async (isReplaced) => {
    const inspector = exampleInspector({});
    inspector.feed.status.set({ kind: 'live' });
    inspector.onMissingPart = async () => isReplaced;
    const { Shown } = part();
    await act(async () => {
      render(
        <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
          <Guarded name="Chart">
            <Shown />
          </Guarded>
        </PageContext>,
      );
    });
    const shown = (await screen.findByRole('alert')).textContent;
    expect(shown.includes('Another version')).toBe(isReplaced);
  },
);
