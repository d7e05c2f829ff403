// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Message, SpanContext, SpanDetail } from '../../api/types.ts';
import { type Page, PageContext } from '../parts/context.ts';
import { ContextSection } from './context-section.tsx';

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
});

afterEach(cleanup);

const message = (role: string, text: string): Message => ({
  role,
  origin: 'input',
  name: null,
  finish_reason: null,
  parts: [{ type: 'text', text, parse_error: false }],
});

const sums = { repeated_chars: 0, dropped_chars: 0 };
const CONTEXT: SpanContext = {
  trace_id: 't',
  span_id: 's',
  agent: 'lead',
  offset_ns: 0,
  model: 'small',
  input_tokens: 1000,
  cached_tokens: 250,
  chars: 100,
  media: 0,
  before: 't.b',
  parts: [
    { part: 'history', chars: 60, tokens: 600, ...sums, dropped_chars: 10 },
    { part: 'tool_results', chars: 40, tokens: 400, ...sums, repeated_chars: 20 },
  ],
  pieces: [
    { part: 'history', pointer: '/view/messages/0/parts/0', chars: 60, repeats: null },
    { part: 'tool_results', pointer: '/view/messages/1/parts/0', chars: 20, repeats: null },
    {
      part: 'tool_results',
      pointer: '/view/messages/2/parts/0',
      chars: 20,
      repeats: '/view/messages/1/parts/0',
    },
  ],
  dropped: [{ part: 'history', chars: 10, beginning: 'The old plan' }],
};

function show(onSelect: (key: string) => void = () => {}): HTMLElement {
  const messages = [
    message('user', 'Why did it fail?'),
    message('tool', '504'),
    message('tool', '504'),
  ];
  const detail = { view: { messages, llm: null }, context: CONTEXT } as unknown as SpanDetail;
  const { container } = render(
    <PageContext value={{ inspector: { router: {} } } as unknown as Page}>
      <ContextSection detail={detail} onSelect={onSelect} />
    </PageContext>,
  );
  return container;
}

test('a slice opens the texts of its part, with what is repeated marked, and closes them again', async () => {
  const container = show();
  const slice = container.querySelector('.ins-context__bar .ins-part-of--tool_results');
  fireEvent.click(slice as Element);
  const line = screen.getByRole('button', { name: /Tool results/, expanded: true });
  expect(screen.getAllByText('504')).toHaveLength(2);
  expect(screen.getByText('same as in message 2')).toBeTruthy();
  expect(screen.queryByText('Why did it fail?')).toBeNull();
  fireEvent.click(line);
  // Until the formatting of the texts has been loaded, they stand there as they are.
  await waitFor(() => expect(screen.queryByText('504')).toBeNull());
});

test('shares are estimates, beside what is cached, and what was dropped leads to the call before', () => {
  const open = vi.fn();
  show(open);
  expect(screen.getByRole('heading').textContent?.replaceAll(/[\u202f\u00a0]/g, ' ')).toBe(
    'Context≈ 1 000 tokens · 25 % cached · ≈ 200 tokens repeated',
  );
  expect(screen.getByRole('button', { name: /History/ }).textContent).toContain(
    '≈ 100 tokens dropped',
  );
  fireEvent.click(screen.getByRole('button', { name: /dropped since the previous call/ }));
  expect(screen.getByText('The old plan')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Open the previous call' }));
  expect(open).toHaveBeenCalledWith('t.b');
});
