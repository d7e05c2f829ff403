// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Answer, Request } from '../../api/types.ts';
import { exampleRequest } from '../../model/examples.ts';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { RequestCard } from '../parts/requests/request-card.tsx';
import { DenyAll } from './deny-all.tsx';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function page(...rows: readonly Request[]) {
  const sent: [string, Answer][] = [];
  const inspector = exampleInspector({
    answer: async (id: string, answer: Answer) => {
      sent.push([id, answer]);
      if (id === 'late') throw new Error('Ann answered this first.');
      const request = rows.find((one) => one.id === id) ?? exampleRequest();
      return { request: { ...request, status: 'answered' }, applied: true, message: '' };
    },
  });
  const open = (request: Request) =>
    inspector.requests.apply([{ type: 'ApprovalRequested', time: '', session_id: 's', request }]);
  act(() => rows.forEach(open));
  const [first = exampleRequest()] = rows;
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <RequestCard id={first.id} />
      <DenyAll request={first} />
    </PageContext>,
  );
  return { sent, open: (request: Request) => act(() => open(request)) };
}

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const button = (name: string) => screen.getByRole('button', { name });

test('each request of the session gets an answer of its own, with the reason', async () => {
  const { sent, open } = page(
    exampleRequest({ id: 'a', args_hash: 'aa' }),
    exampleRequest({ id: 'late', args_hash: null }),
    exampleRequest({ id: 'q', kind: 'question', args_hash: null }),
    exampleRequest({ id: 'other', session_id: 'another' }),
  );
  fireEvent.click(button('Deny all in this session…'));
  fireEvent.change(screen.getByLabelText(/Reason/), { target: { value: ' Not today ' } });
  fireEvent.click(button('Deny 3 requests'));
  expect(sent).toEqual([]);

  wait(500);
  open(exampleRequest({ id: 'b', args_hash: 'bb' }));
  fireEvent.click(button('Deny 4 requests'));
  expect(sent).toEqual([]);

  wait(500);
  await act(async () => fireEvent.click(button('Deny 4 requests')));
  const reason = 'Not today';
  expect(Object.fromEntries(sent)).toEqual({
    a: { decision: 'deny', args_hash: 'aa', reason },
    late: { decision: 'deny', reason },
    q: { decision: 'decline', reason },
    b: { decision: 'deny', args_hash: 'bb', reason },
  });
  expect(screen.getByText('3 of 4 denied.')).toBeDefined();
});

test('Escape takes the question back to its button, and one request alone has no button', () => {
  const { sent } = page(exampleRequest({ id: 'a' }), exampleRequest({ id: 'b' }));
  fireEvent.click(button('Deny all in this session…'));
  fireEvent.keyDown(screen.getByLabelText(/Reason/), { key: 'Escape' });
  expect(screen.queryByLabelText(/Reason/)).toBeNull();
  expect(document.activeElement).toBe(button('Deny all in this session…'));
  expect(sent).toEqual([]);
  cleanup();
  page(exampleRequest());
  expect(screen.queryByRole('button', { name: /^Deny all/ })).toBeNull();
});

test('one denial is open at a time: of the request, or of all', () => {
  page(exampleRequest({ id: 'a' }), exampleRequest({ id: 'b' }));
  fireEvent.click(button('Deny…'));
  fireEvent.click(button('Deny all in this session…'));
  expect(screen.getAllByLabelText(/Reason/)).toHaveLength(1);
  fireEvent.click(button('Deny…'));
  expect(screen.getAllByLabelText(/Reason/)).toHaveLength(1);
  expect(button('Deny all in this session…')).toBeDefined();
});
