// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionViewProps } from '../parts/session-view.ts';
import { CurrentView, type SessionView } from './session-views.tsx';

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
