// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Cell } from '../../../state/cell.ts';
import type { Inspector } from '../../../state/inspector.ts';
import { PageContext } from '../context.ts';
import { LongValue } from './long-value.tsx';

afterEach(cleanup);

function show(saved: Inspector['saved']) {
  const load = vi.fn(() => new Promise(() => {}));
  const inspector = { saved, values: { peek: () => undefined, load } } as unknown as Inspector;
  const cut = { path: '/input', size_bytes: 5_000_000, kind: 'text' } as never;
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <LongValue cut={cut} beginning="How it begins" what="the input">
        {(text) => text}
      </LongValue>
    </PageContext>,
  );
  return load;
}

test('a value that is cut in a saved page is not offered, because the page has no more', () => {
  const load = show({ exportedAt: '2026-01-01T00:00:00Z', leftOut: 1 });
  expect(screen.queryByRole('button', { name: /^Load all/ })).toBeNull();
  expect(screen.getByText(/Not in this file/)).toBeTruthy();
  expect(load).not.toHaveBeenCalled();
});

test('of a service the rest of a value is loaded on request', () => {
  show(undefined);
  expect(screen.getByRole('button', { name: 'Load all 5 MB' })).toBeTruthy();
});
