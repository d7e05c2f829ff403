// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Answer, Request, StreamEvent } from '../../../api/types.ts';
import { exampleRequest } from '../../../model/examples.ts';
import { Cell } from '../../../state/cell.ts';
import { exampleInspector } from '../../../state/examples.ts';
import type { Inspector } from '../../../state/inspector.ts';
import { PageContext } from '../context.ts';
import { noticeOf } from './notices.ts';
import { focusAnswer, RequestCard } from './request-card.tsx';

let sent: Answer[] = [];

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'performance', 'Date'],
  });
  sent = [];
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function page(request: Request): Inspector {
  const api = {
    spanText: async () => '{}',
    answer: async (_id: string, answer: Answer) => {
      sent.push(answer);
      return { request, applied: null, message: '' };
    },
  };
  const inspector = exampleInspector(api);
  change(inspector, request);
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <RequestCard id={request.id} />
    </PageContext>,
  );
  return inspector;
}

function change(inspector: Inspector, request: Request): void {
  const event: StreamEvent = { type: 'ApprovalRequested', time: '', session_id: 's', request };
  act(() => inspector.requests.apply([event]));
}

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const press = (key: string) => {
  const at = document.activeElement ?? document.body;
  // As the browser does it: a click follows the key, unless somebody prevented it.
  if (fireEvent.keyDown(at, { key }) && at instanceof HTMLButtonElement && key === 'Enter') {
    fireEvent.click(at);
  }
  if (at instanceof HTMLInputElement && key === 'Enter') {
    const submit = at.form?.querySelector<HTMLElement>('[type=submit]');
    if (submit) fireEvent.click(submit);
  }
};

test('what is allowed goes as it came, with the hash of what was shown', () => {
  page(exampleRequest());
  wait(500);
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toEqual([{ decision: 'allow', args_hash: '5f'.repeat(32) }]);
});

test('a button does nothing in the first half second', () => {
  page(exampleRequest());
  wait(499);
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toEqual([]);
});

test('a change of the row under the pointer disarms it', () => {
  const inspector = page(exampleRequest());
  wait(1000);
  change(inspector, exampleRequest({ tool_name: 'delete_everything' }));
  fireEvent.click(button('Allow delete_everything once'));
  expect(sent).toEqual([]);
  wait(500);
  fireEvent.click(button('Allow delete_everything once'));
  expect(sent).toHaveLength(1);
});

test('the key for the answer moves the focus, and is no answer', () => {
  page(exampleRequest());
  wait(1000);
  focusAnswer();
  expect(document.activeElement).toBe(button('Allow delete_file once'));
  expect(sent).toEqual([]);
});

test('Enter presses the button after half a second without a key', () => {
  page(exampleRequest());
  wait(1000);
  focusAnswer();
  press('a');
  wait(300);
  press('Enter');
  expect(sent).toEqual([]);
  wait(500);
  press('Enter');
  expect(sent).toHaveLength(1);
});

test('Enter in the reason of a denial sends it after a rest; before, it leads to the button', async () => {
  page(exampleRequest());
  fireEvent.click(button('Deny…'));
  const reason = screen.getByLabelText(/Reason/);
  fireEvent.change(reason, { target: { value: 'Not today' } });
  wait(1000);
  press('y');
  wait(499);
  press('Enter');
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(button('Deny delete_file'));

  reason.focus();
  wait(500);
  await act(async () => press('Enter'));
  expect(sent).toEqual([{ decision: 'deny', reason: 'Not today', args_hash: '5f'.repeat(32) }]);
});

test('Escape closes a denial, and the button that opened it has the focus', () => {
  page(exampleRequest());
  fireEvent.click(button('Deny…'));
  press('Escape');
  expect(screen.queryByLabelText(/Reason/)).toBeNull();
  expect(document.activeElement).toBe(button('Deny…'));
});

test('a key that is held down presses nothing', () => {
  page(exampleRequest());
  wait(1000);
  focusAnswer();
  const allow = button('Allow delete_file once');
  fireEvent.keyDown(allow, { key: 'Enter', repeat: true });
  fireEvent.click(allow);
  expect(sent).toEqual([]);
});

test('an edit is sent as it was typed, and only while it is JSON', () => {
  page(exampleRequest({ args_json: '{"id":9007199254740993,"path":"a"}' }));
  fireEvent.click(button('Edit'));
  const editor = screen.getByLabelText('Arguments as JSON');
  fireEvent.change(editor, { target: { value: '{"id": 9007199254740993, "path": }' } });
  wait(500);
  fireEvent.click(button('Allow with edits'));
  expect(sent).toEqual([]);
  const edited = '{"id": 9007199254740993, "path": "b"}';
  fireEvent.change(editor, { target: { value: edited } });
  wait(500);
  fireEvent.click(button('Allow with 1 edit'));
  expect(sent).toEqual([{ decision: 'allow', args_json: edited, args_hash: '5f'.repeat(32) }]);
});

test('a change of the row disarms the button for an edit, too', () => {
  const inspector = page(exampleRequest({ args_json: '{"a":1}' }));
  fireEvent.click(button('Edit'));
  fireEvent.change(screen.getByLabelText('Arguments as JSON'), { target: { value: '{"a":2}' } });
  wait(1000);
  change(inspector, exampleRequest({ args_json: '{"a":1}', prompt: 'another one' }));
  fireEvent.click(button('Allow with 1 edit'));
  expect(sent).toEqual([]);
});

test('white space alone is no edit', () => {
  page(exampleRequest({ args_json: '{"a":1}' }));
  fireEvent.click(button('Edit'));
  const editor = screen.getByLabelText('Arguments as JSON');
  fireEvent.change(editor, { target: { value: '{ "a" : 1 }' } });
  wait(500);
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toEqual([{ decision: 'allow', args_hash: '5f'.repeat(32) }]);
});

test('a key that is there twice cannot be sent', () => {
  page(exampleRequest({ args_json: '{"a":1}' }));
  fireEvent.click(button('Edit'));
  const editor = screen.getByLabelText('Arguments as JSON');
  fireEvent.change(editor, { target: { value: '{"a":1,"a":2}' } });
  wait(500);
  expect(screen.getByText(/duplicate key/)).toBeDefined();
  fireEvent.click(button('Allow with edits'));
  expect(sent).toEqual([]);
});

test('a change of the row leaves the editor, its text and the focus alone', () => {
  const inspector = page(exampleRequest({ args_json: '{"a":1}' }));
  fireEvent.click(button('Edit'));
  const editor = screen.getByLabelText('Arguments as JSON') as HTMLTextAreaElement;
  fireEvent.change(editor, { target: { value: '{"a":2}' } });
  change(inspector, exampleRequest({ args_json: '{"a":1}', session_title: 'Another title' }));
  expect(screen.getByLabelText('Arguments as JSON')).toBe(editor);
  expect(editor.value).toBe('{"a":2}');
  expect(document.activeElement).toBe(editor);
});

test('what cannot be edited says why, and can be allowed', () => {
  page(exampleRequest({ args_json: null, args_text: '<object at 0x1>' }));
  expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull();
  expect(screen.getByText(/be allowed or denied, not edited/)).toBeDefined();
  wait(500);
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toHaveLength(1);
});

test('a question without a form takes text', () => {
  page(
    exampleRequest({
      kind: 'question',
      args_json: null,
      args_hash: null,
      options: ['Answer', 'Decline'],
    }),
  );
  fireEvent.change(screen.getByLabelText('Answer'), { target: { value: 'yes, "please"' } });
  wait(500);
  fireEvent.click(button('Send answer'));
  expect(sent).toEqual([{ decision: 'answer', payload_json: '"yes, \\"please\\""' }]);
});

test('a notification tells no argument and no prompt', () => {
  const secret = exampleRequest({
    prompt: 'the secret',
    args_json: '{"key":"secret"}',
    session_title: 'Nightly\u202e sync',
  });
  expect(noticeOf([secret])).toEqual({
    title: 'delete_file wants to run',
    body: 'Nightly[U+202E] sync',
  });
  expect(noticeOf([secret, secret]).title).toBe('2 requests are waiting for you');
});

test('the arguments beside a question cannot be edited: its answer would not carry them', () => {
  page(exampleRequest({ kind: 'question', prompt: 'Which colour?', args_json: '{"a":1}' }));
  expect(screen.getByText('Which colour?')).toBeDefined();
  expect(screen.getByLabelText('Arguments').textContent).toContain('"a"');
  expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull();
});

const LONG_ARGS = `{"command":"${'a'.repeat(7000)} ; rm -rf /"}`;

test('nothing is granted while only the beginning of the arguments is shown', () => {
  page(exampleRequest({ args_json: LONG_ARGS, can_always: true }));
  wait(1000);
  expect(screen.getByRole('group', { name: 'the arguments' }).textContent).not.toContain('rm -rf');
  fireEvent.click(button('Allow delete_file once'));
  fireEvent.click(button(/^Always allow/));
  expect(sent).toEqual([]);
  expect(screen.getByText(/Only the start of the arguments is shown/)).toBeDefined();
  focusAnswer();
  press('Enter');
  expect(screen.getByRole('group', { name: 'the arguments' }).textContent).toContain('rm -rf');
  wait(499);
  focusAnswer();
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toEqual([]);
  wait(1);
  press('Enter');
  expect(sent).toEqual([{ decision: 'allow', args_hash: '5f'.repeat(32) }]);
});

test('arguments that take the place of those that were shown must be shown, too', () => {
  const inspector = page(exampleRequest({ args_json: LONG_ARGS }));
  fireEvent.click(button(/^Show all/));
  change(inspector, exampleRequest({ args_json: LONG_ARGS.replace('rm', 'mv') }));
  wait(1000);
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toEqual([]);
});

test('a long prompt must be shown whole before a question is answered; it can be declined', () => {
  const form_json = '{"type":"object","properties":{}}';
  page(
    exampleRequest({ kind: 'question', args_json: null, form_json, prompt: 'a\n'.repeat(3000) }),
  );
  wait(1000);
  fireEvent.click(button('Accept'));
  expect(sent).toEqual([]);
  fireEvent.click(button('Decline'));
  expect(sent).toHaveLength(1);
});

test('who edits the arguments has all of them before their eyes', () => {
  page(exampleRequest({ args_json: LONG_ARGS }));
  fireEvent.click(button('Edit'));
  fireEvent.click(button('Stop editing'));
  expect(screen.getByRole('group', { name: 'the arguments' }).textContent).toContain('rm -rf');
  wait(500);
  fireEvent.click(button('Allow delete_file once'));
  expect(sent).toHaveLength(1);
});

test('an edit that was sent stays on the card, and the card leads to the span that ran', async () => {
  const request = exampleRequest({
    args_json: '{"path":"old"}',
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
  });
  const inspector = page(request);
  fireEvent.click(button('Edit'));
  fireEvent.change(screen.getByLabelText('Arguments as JSON'), {
    target: { value: '{"path":"new"}' },
  });
  wait(500);
  await act(async () => fireEvent.click(button('Allow with 1 edit')));
  expect(sent[0]).toMatchObject({ decision: 'allow', args_json: '{"path":"new"}' });

  const closed = exampleRequest({
    ...request,
    status: 'answered',
    args_json: null,
    answer: {
      decision: 'allow',
      actor: 'Ann',
      origin: 'browser',
      at: '2026-01-01T00:01:00Z',
      reason: null,
      is_edited: true,
      applied: true,
      applied_reason: null,
    },
    transitions: [...request.transitions, ...request.transitions, ...request.transitions],
  });
  change(inspector, closed);
  const edit = screen.getByRole('region', { name: 'Your edit' });
  expect(edit.textContent).toContain('before: ');
  expect(edit.textContent).toContain('new');
  expect(screen.getByRole('link').getAttribute('href')).toContain(`span=${'a'.repeat(32)}.`);

  act(() => inspector.drafts.close(request.id, undefined));
  expect(screen.getByText(/The edit itself is not stored/)).toBeDefined();
});

test('a timeout that allows looks unlike one that denies', () => {
  vi.setSystemTime('2026-01-01T00:00:00Z');
  const inspector = page(
    exampleRequest({ id: 'allows', default: 'allow', expires_at: '2026-01-01T00:00:24Z' }),
  );
  const card = screen.getByRole('article');
  expect(card.textContent).toContain('allowed in 24 s');
  expect(card.className).toContain('allowing');
  expect(card.querySelector('.ins-status--allowing')).not.toBeNull();

  change(inspector, exampleRequest({ id: 'older', created_at: '2025-12-31T00:00:00Z' }));
  change(
    inspector,
    exampleRequest({ id: 'sooner', default: 'allow_always', expires_at: '2026-01-01T00:00:20Z' }),
  );
  expect(inspector.requests.pending.get()).toEqual(['sooner', 'allows', 'older']);
  expect(inspector.requests.allowing.get()).toBe(2);
  cleanup();

  page(exampleRequest({ default: 'deny', expires_at: '2026-01-01T00:00:24Z' }));
  expect(screen.getByRole('article').textContent).toContain('24 s left, then denied');
  expect(screen.getByRole('article').className).not.toContain('allowing');
});

test('sending a form with something missing leads to the first field that is', () => {
  const form_json = JSON.stringify({
    type: 'object',
    required: ['name', 'address'],
    properties: {
      note: { type: 'string' },
      name: { type: 'string', default: 'Ada' },
      address: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
    },
  });
  page(exampleRequest({ kind: 'question', args_json: null, form_json }));
  expect(screen.getByText('* required')).toBeDefined();
  expect(screen.queryByText('Required.')).toBeNull();
  fireEvent.click(button('Send answer'));
  expect(document.activeElement).toBe(screen.getByLabelText(/city/));
  expect(screen.getByText('Required.')).toBeDefined();

  fireEvent.change(screen.getByLabelText(/city/), { target: { value: 'Łódź' } });
  wait(500);
  fireEvent.click(button('Send answer'));
  expect(sent.map(({ payload_json }) => payload_json)).toEqual([
    '{"name":"Ada","address":{"city":"Łódź"}}',
  ]);
});
