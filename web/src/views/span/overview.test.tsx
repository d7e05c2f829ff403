// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Message, Payload, SpanDetail } from '../../api/types.ts';
import { ErrorBlock, FailedInput } from './overview.tsx';

afterEach(cleanup);

const payload = (text: string): Payload => ({
  text,
  is_json: false,
  is_truncated: false,
  original_bytes: null,
});

const message = (text: string): Message => ({
  role: 'user',
  origin: 'input',
  name: null,
  finish_reason: null,
  parts: [{ type: 'text', text, parse_error: false }],
});

function show(view: Partial<SpanDetail['view']>): void {
  const all = { tool: null, mcp: null, messages: [], ...view };
  render(<FailedInput detail={{ view: all } as unknown as SpanDetail} />);
}

test('of a failed tool its arguments are read beside the error, and its result where it has one', () => {
  const tool = {
    name: 'search',
    call_id: null,
    description: null,
    arguments: payload('q=retry'),
    result: null,
    is_error: true,
  };
  show({ tool: tool as SpanDetail['view']['tool'] });
  expect(screen.getByText('q=retry')).toBeTruthy();
  expect(screen.queryByText('Output')).toBeNull();
  cleanup();
  show({ tool: { ...tool, result: payload('out of memory') } as SpanDetail['view']['tool'] });
  expect(screen.getByText('out of memory')).toBeTruthy();
});

test('of a failed model call the last message is read, and no other', () => {
  show({ messages: [message('first'), message('last')] });
  expect(screen.getByText('last')).toBeTruthy();
  expect(screen.queryByText('first')).toBeNull();
});

test('an error says its type, its message, and below them what only the status says', () => {
  const error = {
    type: 'KeyError',
    code: null,
    message: "'sku'",
    status_message: 'The price list is not complete.',
    stacktrace: null,
  };
  render(<ErrorBlock error={error} />);
  const lines = screen.getByRole('group', { name: 'Error' }).textContent;
  expect(lines).toContain('KeyError');
  expect(lines).toMatch(/'sku'.*The price list is not complete\./);
});
