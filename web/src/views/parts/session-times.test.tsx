// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { exampleSession } from '../../model/examples.ts';
import { Cell } from '../../state/cell.ts';
import type { Inspector } from '../../state/inspector.ts';
import { ServerClock } from '../../state/server-clock.ts';
import { PageContext } from './context.ts';
import { Duration, NoNews } from './session-times.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('a session that nothing is heard of says so after a minute, and for how long', () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T10:00:00Z') });
  const inspector = { clock: new ServerClock(() => Date.now()) } as unknown as Inspector;
  const { container } = render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <NoNews since="2026-01-01T10:00:00Z" />
    </PageContext>,
  );
  act(() => vi.advanceTimersByTime(59_000));
  expect(container.textContent).toBe('');
  act(() => vi.advanceTimersByTime(11_000));
  expect(container.textContent).toBe('no news for 1 min');
  act(() => vi.advanceTimersByTime(8 * 60_000));
  expect(container.textContent).toBe('no news for 9 min');
});

test.each([
  [0, '–'],
  [1, '0 ns'],
])('a session that ended with %i spans ran for %s', (span_count, ran) => {
  const inspector = { clock: new ServerClock(() => Date.now()) } as unknown as Inspector;
  const session = { ...exampleSession(), duration_ms: 0, span_count };
  const { container } = render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <Duration session={session} />
    </PageContext>,
  );
  expect(container.textContent).toBe(ran);
});
