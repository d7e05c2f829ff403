// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Unsearched } from '../../api/types.ts';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from './context.ts';
import { WriterMark } from './service-mark.tsx';
import { UnsearchedLine } from './unsearched.tsx';

afterEach(cleanup);

const AWAY: Unsearched = { part: 'writer', writer: 'eu', why: 'It does not answer.', since: null };
const LEFT: Unsearched = { part: 'history', writer: 'us', why: 'Away.', since: null };

function show(shown: React.ReactNode) {
  const inspector = exampleInspector({});
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>{shown}</PageContext>,
  );
  return inspector;
}

test('a list names each service that is missing, and why unless the banner does', () => {
  const { storeHealth } = show(<UnsearchedLine parts={[AWAY, LEFT]} />);
  const lines = () => [...screen.getByRole('status').children].map((line) => line.textContent);
  const left = 'Sessions that left the disk of “us” are not searched: Away.';
  expect(lines()).toEqual(['Without the service “eu”: It does not answer.', left]);
  const since = '2026-01-01T00:00:00Z';
  act(() => storeHealth.set({ state: 'incomplete', since, message: AWAY.why }));
  expect(lines()).toEqual(['Without the service “eu”.', left]);
});

test('what was missing is asked for once changes may have been missed, and not before', () => {
  const again = vi.fn();
  const { gaps } = show(<UnsearchedLine parts={[AWAY]} onAgain={again} />);
  expect(again).not.toHaveBeenCalled();
  act(() => gaps.set(1));
  expect(again).toHaveBeenCalledTimes(1);
});

test('a session names its service where there are several, and only a name that is one', () => {
  const { writers } = show(
    <p>
      <WriterMark id="eu:x" />
    </p>,
  );
  const shown = () => screen.getByRole('paragraph').textContent?.trim();
  expect(shown()).toBe('');
  act(() => writers.set(['eu']));
  expect(shown()).toBe('');
  act(() => writers.set(['us', 'apac']));
  expect(shown()).toBe('');
  act(() => writers.set(['us', 'eu']));
  expect(shown()).toBe('eu');
});
