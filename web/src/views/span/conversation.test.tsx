// @vitest-environment jsdom

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import type { Message } from '../../api/types.ts';
import { Cell } from '../../state/cell.ts';
import type { Inspector } from '../../state/inspector.ts';
import { PageContext } from '../parts/context.ts';
import { Conversation } from './conversation.tsx';

afterEach(cleanup);

/** A page that remembers the last row of each list, and has nothing else. */
const inspector = { lastRows: new Map() } as unknown as Inspector;

function shown(conversation: ReactNode) {
  const page = { inspector, theme: new Cell('light' as const) };
  return render(<PageContext value={page}>{conversation}</PageContext>);
}

const messages: Message[] = [
  {
    role: 'system',
    origin: 'system',
    name: null,
    finish_reason: null,
    parts: [{ type: 'text', text: 'Be brief.', parse_error: false }],
  },
  {
    role: 'assistant',
    origin: 'output',
    name: null,
    finish_reason: 'tool_call',
    parts: [
      {
        type: 'tool_call',
        id: '1',
        name: 'git_log',
        arguments: {
          text: '{"id": 9007199254740993}',
          is_json: true,
          is_truncated: false,
          original_bytes: null,
        },
      },
    ],
  },
  {
    role: 'tool',
    origin: 'input',
    name: null,
    finish_reason: null,
    parts: [
      {
        type: 'tool_result',
        id: '1',
        result: { text: '"x"', is_json: true, is_truncated: true, original_bytes: 90_000 },
      },
    ],
  },
];

test('the system prompt is folded until it is asked for', () => {
  shown(<Conversation messages={messages} />);
  expect(screen.queryByText('Be brief.')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: /System prompt, 9 characters/ }));
  expect(screen.getByText('Be brief.')).toBeTruthy();
});

test('a system prompt with nothing else to read is not folded', () => {
  shown(<Conversation messages={messages.slice(0, 1)} />);
  expect(screen.getByText('Be brief.')).toBeTruthy();
});

test('a number of a call is shown digit by digit', () => {
  shown(<Conversation messages={messages} />);
  expect(screen.getByText('9007199254740993')).toBeTruthy();
});

test('the result is with its call, and says how much of it is missing', () => {
  const { container } = shown(<Conversation messages={messages} />);
  expect(container.querySelectorAll('.ins-turn')).toHaveLength(2);
  expect(screen.getByText(/3 B of 90 kB received/)).toBeTruthy();
});
