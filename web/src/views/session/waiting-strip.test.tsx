// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Request } from '../../api/types.ts';
import { exampleRequest } from '../../model/examples.ts';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { WaitingStrip } from './waiting-strip.tsx';

afterEach(cleanup);

const questions: Request = exampleRequest({
  id: 'a',
  kind: 'question',
  tool_name: null,
  signal_name: 'release',
  prompt: 'Release it now?',
});

function show(...requests: Request[]): void {
  const inspector = exampleInspector({});
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <WaitingStrip sessionId={questions.session_id} />
    </PageContext>,
  );
  act(() =>
    inspector.requests.apply(
      requests.map((request) => ({
        type: 'ApprovalRequested',
        time: '',
        session_id: request.session_id,
        request,
      })),
    ),
  );
}

test('a question is told by its text, as in the inbox, and by its signal once it is open', () => {
  show(questions);
  const line = screen.getByRole('button', { name: /Release it now\?/ });
  expect(line.textContent).not.toContain('signal');
  fireEvent.click(line);
  expect(screen.getByRole('button', { name: /Waiting for signal "release"/ })).toBeTruthy();
});

test('two that ask the same are told once', () => {
  show(questions, { ...questions, id: 'b' }, { ...questions, id: 'c', prompt: 'Tell the users?' });
  expect(screen.getByRole('button').textContent).toContain('Release it now?, Tell the users?');
});
