// @vitest-environment jsdom
import { cleanup, render as renderAlone, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import type { Decision } from '../../api/types.ts';
import { Cell } from '../../state/cell.ts';
import type { Inspector } from '../../state/inspector.ts';
import { PreferenceStore } from '../../state/preferences.ts';
import { PageContext } from '../parts/context.ts';
import { Decisions } from './decisions.tsx';

afterEach(cleanup);

const inspector = { preferences: new PreferenceStore(undefined) } as unknown as Inspector;

function render(decisions: ReactNode) {
  const page = { inspector, theme: new Cell('light' as const) };
  return renderAlone(<PageContext value={page}>{decisions}</PageContext>);
}

function decision(values: Partial<Decision>): Decision {
  return {
    time: '2026-01-01T10:00:00Z',
    hook: 'before_tool_call',
    interceptor: 'gate',
    action: 'continue',
    reason: null,
    microseconds: 12.4,
    before: null,
    after: null,
    ...values,
  };
}

test('those who had no objection are one line, and what was decided stands before it', () => {
  render(
    <Decisions
      decisions={[
        decision({ interceptor: 'budget' }),
        decision({ interceptor: 'paths', action: 'deny', reason: 'Not outside.' }),
        decision({ interceptor: 'session gate' }),
        decision({ interceptor: 'budget', hook: 'error_tool_call' }),
      ]}
    />,
  );

  const line = screen.getByText('2 interceptors had no objection');
  const details = line.closest('details');
  expect(details?.open).toBe(false);
  expect(within(details as HTMLElement).getAllByText(/^by /)).toHaveLength(3);
  const refusal = screen.getByText('Not outside.');
  expect(details?.contains(refusal)).toBe(false);
  expect(refusal.compareDocumentPosition(line)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

test('one who had no objection is one', () => {
  render(<Decisions decisions={[decision({})]} />);

  expect(screen.getByText('1 interceptor had no objection')).toBeTruthy();
});

test('who goes on with a reason is not folded away', () => {
  render(<Decisions decisions={[decision({ reason: 'gate failed: ValueError: x' })]} />);

  expect(screen.getByText('gate failed: ValueError: x').closest('details')).toBeNull();
  expect(screen.queryByText(/no objection/)).toBeNull();
});
