// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Message, Payload, SpanDetail, SpanRow } from '../../api/types.ts';
import { exampleSpan } from '../../model/examples.ts';
import type { Totals } from '../../model/trace/totals.ts';
import type { Trace } from '../../state/trace.ts';
import { type Page, PageContext } from '../parts/context.ts';
import { ErrorBlock } from '../parts/values/error-block.tsx';
import { InputOutput } from './input-output.tsx';

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

function show(view: Partial<SpanDetail['view']>, kind: SpanRow['kind'] = 'tool'): void {
  const all = { tool: null, mcp: null, messages: [], ...view };
  const definition = {
    name: 'search',
    description: 'Searches the pages.',
    parameters: {
      ...payload('{"properties": {"q": {"type": "string"}}, "required": ["q"]}'),
      is_json: true,
    },
  };
  const detail = { view: all, tool_definition: definition } as unknown as SpanDetail;
  render(
    <PageContext value={{ inspector: { router: {} } } as unknown as Page}>
      <InputOutput
        row={exampleSpan({ kind })}
        detail={detail}
        trace={{} as Trace}
        totals={kind === 'agent' ? ({} as Totals) : undefined}
      />
    </PageContext>,
  );
}

test('a tool is read with its arguments, its result, and the schema it was offered with', () => {
  const tool = {
    name: 'search',
    call_id: null,
    description: null,
    arguments: payload('q=retry'),
    result: null,
    is_error: true,
  };
  show({ tool });
  expect(screen.getByText('q=retry')).toBeTruthy();
  expect(screen.getByText('Content not captured')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Schema' }));
  expect(screen.getByRole('region', { name: 'Schema' }).textContent).toContain(
    'Searches the pages.qstring, required',
  );
  cleanup();
  show({ tool: { ...tool, result: payload('out of memory') } });
  expect(screen.getByText('out of memory')).toBeTruthy();
});

test('an LLM call is read from what is new to its answer; of an agent, the task', async () => {
  const talk = [
    message('the task'),
    { ...message('a step'), role: 'assistant' },
    message('a result'),
    message('another result'),
    { ...message('the answer'), role: 'assistant', origin: 'output' as const },
  ];
  // Formatted text is loaded when it is first needed.
  const shown = async () =>
    (await screen.findAllByRole('region')).map(({ textContent }) => textContent);
  show({ messages: talk }, 'llm');
  expect(await shown()).toEqual([
    expect.stringMatching(/^Input2 earlier messages.*a result.*another result/),
    expect.stringMatching(/^Output.*the answer/),
  ]);
  cleanup();
  show({ messages: talk.filter((_, at) => at !== 2 && at !== 3) }, 'agent');
  expect(await shown()).toEqual([
    expect.stringMatching(/^Task.*the task/),
    expect.stringMatching(/^Answer.*the answer/),
  ]);
  expect(screen.queryByText('a step')).toBeNull();
});

test('a long result that a call was sent is folded, so that its answer is in view', async () => {
  const result = (text: string): Message => ({
    ...message(''),
    role: 'tool',
    parts: [{ type: 'tool_result', id: null, result: payload(text) }],
  });
  const lines = 'a line of the log\n'.repeat(60);
  const answer: Message = { ...message('the answer'), role: 'assistant', origin: 'output' };
  show({ messages: [message('the task'), result(lines), answer] }, 'llm');
  const fold = await screen.findByRole('button', {
    name: /^1\s?080 characters: a line of the log/,
  });
  const input = screen.getByRole('region', { name: 'Input' });
  expect(input.textContent?.length).toBeLessThan(200);
  fireEvent.click(fold);
  expect(input.textContent?.length).toBeGreaterThan(500);
  cleanup();
  show({ messages: [message('the task'), result('short'), answer] }, 'llm');
  expect(await screen.findByText('short')).toBeTruthy();
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

test('an error that has one text in four places shows it once', () => {
  const error = {
    type: '503',
    code: '503',
    message: '503',
    status_message: '503',
    stacktrace: null,
  };
  render(<ErrorBlock error={error} />);
  expect(screen.getAllByText('503')).toHaveLength(1);
});
