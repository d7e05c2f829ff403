import { expect, test } from 'vitest';
import type { SpanDetail } from '../../api/types.ts';
import { detailAt, isOfEnd } from './detail-at.ts';

test('attributes that come with the end are known by their names', () => {
  const names = {
    'gen_ai.output.messages': true,
    'gen_ai.usage.input_tokens': true,
    'gen_ai.response.model': true,
    'gen_ai.tool.call.result': true,
    'error.type': true,
    'output.value': true,
    'gen_ai.input.messages': false,
    'gen_ai.server.time_to_first_token': true,
    'inspector.stream.chunk_count': true,
    'gen_ai.request.model': false,
    'gen_ai.request.max_tokens': false,
    'gen_ai.request.stream': false,
    'gen_ai.tool.call.arguments': false,
    'session.id': false,
  };
  for (const [name, isIt] of Object.entries(names))
    expect([name, isOfEnd(name)]).toEqual([name, isIt]);
});

test('what has a time is there from it on, to the nanosecond', () => {
  const at = (digits: string) => ({ time: `2026-01-01T00:00:0${digits}Z` });
  const detail = {
    offset_ns: 100,
    started_at: '2026-01-01T00:00:00.999999000Z',
    attributes: { 'session.id': 's', 'output.value': 'x' },
    events: [{ offset_ns: 100 }, { offset_ns: 1200 }],
    view: {
      messages: [{ origin: 'input' }, { origin: 'output' }],
      decisions: [at('1.000000000'), at('1.000000001')],
      state: [at('0.999999'), at('2')],
      tool: null,
      mcp: null,
      llm: null,
    },
  } as unknown as SpanDetail;
  const { view, events, attributes } = detailAt(detail, 1100);
  expect([view.decisions.length, view.state.length, events.length]).toEqual([1, 1, 1]);
  expect([attributes, view.messages]).toEqual([{ 'session.id': 's' }, [{ origin: 'input' }]]);
});
