// @vitest-environment jsdom
import { cleanup, render, renderHook, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { exampleSession } from '../../model/examples.ts';
import { exampleInspector } from '../../state/examples.ts';
import { Trace } from '../../state/trace.ts';
import { type Page, PageContext } from '../parts/context.ts';
import type { SessionViewProps } from '../parts/session-view.ts';
import { CurrentView, SessionTabs, type SessionView, useSessionView } from './session-views.tsx';

vi.hoisted(() => {
  // The waterfall asks while it is loaded; jsdom has none.
  window.matchMedia = () => ({ matches: false }) as MediaQueryList;
});

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {}); // React tells of what is caught
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('a view of the session that throws leaves the page and its tabs', () => {
  const View = () => {
    throw new Error('no such row');
  };
  const view = { id: 'test', name: 'Test', View } as unknown as SessionView;
  const props = {} as SessionViewProps;
  render(
    <>
      <p>the tabs</p>
      <CurrentView view={view} {...props} />
    </>,
  );
  expect(screen.getByRole('alert').textContent).toContain('no such row');
  expect(screen.getByText('the tabs')).toBeDefined();
});

test('a session has no tab of a view in which there is nothing to see', () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  const page = { inspector: { router: {}, actions: { add: () => () => {} } } };
  const tabsOf = (session: Parameters<typeof exampleSession>[0]) => {
    cleanup();
    render(
      <PageContext value={page as unknown as Page}>
        <SessionTabs view={undefined} session={exampleSession(session)} />
      </PageContext>,
    );
    return screen.getAllByRole('tab').map(({ textContent }) => textContent);
  };
  const web = { has_mcp: false, agents: [], llm_calls: 0, tool_calls: 0 };
  expect(tabsOf(web)).toEqual(['Waterfall', 'Statistics']);
  expect(tabsOf({ ...web, llm_calls: 1 })).toEqual([
    'Waterfall',
    'Transcript',
    'Graph',
    'Statistics',
  ]);
  expect(tabsOf({ ...web, has_mcp: true })).toEqual([
    'Waterfall',
    'Transcript',
    'MCP',
    'Statistics',
  ]);
});

test('a view that there is not leaves the address', () => {
  const inspector = exampleInspector({});
  inspector.router.replace('sessions/s?view=nonsense&find=x');
  const trace = new Trace('s', inspector.api);
  renderHook(() => useSessionView(trace), {
    wrapper: ({ children }) => <PageContext value={{ inspector } as Page}>{children}</PageContext>,
  });
  expect(inspector.router.route.get().query.toString()).toBe('find=x');
});
