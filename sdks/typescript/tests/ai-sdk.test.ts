import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { LegacyOpenTelemetry, OpenTelemetry } from '@ai-sdk/otel';
import { generateText, isStepCount, streamText, tool, wrapLanguageModel } from 'ai';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';

import {
  inspectorMiddleware,
  inspectorTools,
  type MiddlewareOptions,
} from '../src/ai-sdk/index.js';
import {
  agent,
  answer,
  attach,
  CancelledError,
  DeniedError,
  deny,
  edit,
  type Handle,
  session,
} from '../src/index.js';
import { Api, type Row, until } from './support/api.js';
import { Provider } from './support/provider.js';

let handle: Handle;
let api: Api;
let provider: Provider;

beforeAll(async () => {
  api = new Api();
  provider = await Provider.start();
  handle = attach({ url: inject('url'), token: inject('token'), serviceName: 'ai-test' });
});
afterAll(async () => {
  await handle.detach();
  provider.stop();
});

const modelOf = (options: MiddlewareOptions = {}) =>
  wrapLanguageModel({
    model: createOpenAICompatible({ name: 'local', baseURL: provider.url, includeUsage: true })(
      'local-1',
    ),
    middleware: inspectorMiddleware(options),
  });
const toolsOf = (run: (path: string) => unknown, ask: 'delete_file'[] = []) =>
  inspectorTools(
    {
      delete_file: tool({
        description: 'Deletes a file.',
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }) => run(path),
      }),
    },
    { ask },
  );
const ended = (count: number) => (rows: Row[]) =>
  rows.length >= count && rows.every(({ status }) => status !== 'running');
const names = (rows: Row[]) => rows.map(({ name }) => name).sort();
const prompt = 'Delete /tmp/a.';

describe('an agent of the SDK', () => {
  test('asks before a tool, which runs with edited arguments; each call is one span', async () => {
    const seen: string[] = [];
    const run = session('sdk', () =>
      agent(
        () =>
          generateText({
            model: modelOf(),
            instructions: 'Be brief.',
            prompt,
            temperature: 0.5,
            tools: toolsOf((path) => seen.push(path), ['delete_file']),
            stopWhen: isStepCount(3),
          }),
        { name: 'cleaner' },
      )(),
    );
    const request = await api.request('delete_file');
    await api.answer(request, { decision: 'allow', args_json: '{"path": "/tmp/b"}' });
    expect((await run).text).toBe('The tool said: 1');
    expect(seen).toEqual(['/tmp/b']);
    const rows = await api.rows('sdk', ended(4));
    expect(names(rows)).toEqual([
      'chat local-1',
      'chat local-1',
      'execute_tool delete_file',
      'invoke_agent cleaner',
    ]);
    const chat = await api.span(rows.find(({ kind }) => kind === 'llm') as Row);
    expect(chat.view).toMatchObject({ usage: { input_tokens: 12, output_tokens: 5 } });
    expect(chat.attributes).toMatchObject({
      'gen_ai.provider.name': 'local',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.response.model': 'local-1-2026',
    });
    const said = JSON.stringify(chat.view['messages']);
    for (const text of ['Be brief.', prompt, 'delete_file', '/tmp/a']) expect(said).toContain(text);
    expect(await api.get('/sessions/sdk')).toMatchObject({ llm_calls: 2, input_tokens: 24 });
  });

  test('tells the model that a tool was denied, and goes on', async () => {
    const run = generateText({
      model: modelOf(),
      prompt,
      tools: toolsOf(() => 'ran', ['delete_file']),
      stopWhen: isStepCount(3),
    });
    await api.answer(await api.request('delete_file'), { decision: 'deny', reason: 'no' });
    expect((await run).text).toContain('delete_file was denied: no');
  });

  test.each([
    ['the new telemetry', () => new OpenTelemetry()],
    ['the old telemetry', () => new LegacyOpenTelemetry()],
  ])('with %s has each span once', async (name, integration) => {
    const id = name.replaceAll(' ', '-');
    await session(id, () =>
      generateText({
        model: modelOf(),
        prompt,
        tools: toolsOf(() => 'ran'),
        stopWhen: isStepCount(3),
        telemetry: { isEnabled: true, integrations: [integration()] },
      }),
    );
    const rows = await api.rows(id, ended(4));
    const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
    expect([count('llm'), count('tool')]).toEqual([2, 1]);
    expect(await api.get(`/sessions/${id}`)).toMatchObject({ llm_calls: 2, tool_calls: 1 });
  });
});

test('who is asked before a tool that is not there, or does not run here, is told', () => {
  const away = tool({ description: 'Runs elsewhere.', inputSchema: z.object({}) });
  // @ts-expect-error: no tool has this name
  expect(() => inspectorTools({ away }, { ask: ['away', 'delete_fiel'] })).toThrow(
    /"away".*execute/,
  );
  // @ts-expect-error: no tool has this name
  expect(() => inspectorTools({}, { ask: ['delete_fiel'] })).toThrow(/"delete_fiel".*this name/);
});

test('a tool whose result comes piece by piece shows each, and is cancelled by its signal', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const tools = inspectorTools({
    delete_file: tool({
      inputSchema: z.object({ path: z.string() }),
      async *execute({ path }) {
        yield 'looking';
        yield `deleted ${path}`;
      },
    }),
    plain: tool({
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) => {
        signals.push(abortSignal);
        return 'done';
      },
    }),
  });
  const run = streamText({ model: modelOf(), prompt, tools, stopWhen: isStepCount(3) });
  const seen: unknown[] = [];
  for await (const part of run.fullStream) {
    if (part.type === 'tool-result') seen.push([part.preliminary ?? false, part.output]);
  }
  expect(seen).toEqual([
    [true, 'looking'],
    [true, 'deleted /tmp/a'],
    [false, 'deleted /tmp/a'],
  ]);
  await tools.plain.execute?.({}, { toolCallId: '1', messages: [], context: {} });
  expect(signals[0]).toBeInstanceOf(AbortSignal);
});

describe('an LLM call', () => {
  test('is streamed, piece by piece, and its end is the end of the stream', async () => {
    const run = session('streamed', () => streamText({ model: modelOf(), prompt: 'Hi' }));
    const pieces: string[] = [];
    for await (const piece of run.textStream) pieces.push(piece);
    expect(pieces).toEqual(['Hello', ' there']);
    const [row] = await api.rows('streamed', ended(1));
    const { view, attributes } = await api.span(row as Row);
    expect(attributes['gen_ai.usage.output_tokens']).toBe(5);
    expect(JSON.stringify(view['messages'])).toContain('Hello there');
  });

  test('is cancelled when its stream is left, with what came', async () => {
    const { stream } = await session('left', () =>
      modelOf().doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }),
    );
    for await (const piece of stream) if (piece.type === 'text-delta') break;
    const [row] = await api.rows('left', ended(1));
    expect(row?.status).toBe('cancelled');
    expect(JSON.stringify((await api.span(row as Row)).view['messages'])).toContain('Hello');
  });

  test('shows its text while it is streamed, without a secret that comes in two chunks', async () => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    provider.pieces = (async function* () {
      yield 'The key is sk-ant-a';
      yield `${secret.slice('sk-ant-a'.length)} and the rest is`;
      yield ' harmless.';
      await waiting;
    })();
    const run = session('so-far', () => streamText({ model: modelOf(), prompt: 'Hi' }));
    const text = run.text;
    const shown = await until(async () => {
      const [row] = await api.rows('so-far', (rows) => rows.length > 0);
      const { attributes } = await api.span(row as Row);
      const found = attributes['inspector.stream.text'];
      return typeof found === 'string' && found.includes('rest') ? attributes : undefined;
    });
    expect(shown['inspector.stream.text']).toBe('The key is [redacted] and the rest is ');
    expect(shown['inspector.stream.chars']).toBe(
      `The key is ${secret} and the rest is harmless.`.length,
    );
    go();
    expect(await text).toContain(secret);
    const [row] = await api.rows('so-far', ended(1));
    const { attributes } = await api.span(row as Row);
    expect(attributes['inspector.stream.text']).toBeUndefined();
    expect(attributes['inspector.stream.chunk_count']).toBe(3);
    expect(attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0);
  });

  test('is edited, answered and denied by code', async () => {
    const before = provider.requests.length;
    const hot = modelOf({ decide: (call) => edit({ ...call, temperature: 0.1 }) });
    await generateText({ model: hot, prompt: 'Hi', temperature: 0.9 });
    expect(provider.requests.at(-1)?.temperature).toBe(0.1);
    const canned = modelOf({ decide: () => answer('From the cache.') });
    expect((await generateText({ model: canned, prompt: 'Hi' })).text).toBe('From the cache.');
    expect(await streamText({ model: canned, prompt: 'Hi' }).text).toBe('From the cache.');
    const refused = modelOf({ decide: () => deny('over budget') });
    await expect(generateText({ model: refused, prompt: 'Hi' })).rejects.toThrow(DeniedError);
    expect(provider.requests.length).toBe(before + 1);
  });

  test('is shown to a person, who edits what is sent', async () => {
    const run = generateText({ model: modelOf({ ask: 'Send this?' }), prompt: 'Hi' });
    const request = await api.request('Send this?');
    const call = JSON.parse(request.args_json as string);
    call.prompt[0].content[0].text = 'Bonjour';
    await api.answer(request, { decision: 'allow', args_json: JSON.stringify(call) });
    await run;
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).toContain('Bonjour');
  });

  test('is cancelled, with its request', async () => {
    const run = session('stopped', () =>
      agent(() => generateText({ model: modelOf({ ask: 'Wait?' }), prompt: 'Hi' }))(),
    );
    const caught = run.catch((error: unknown) => error);
    await api.request('Wait?');
    await api.post('/cancel/stopped');
    expect(await caught).toBeInstanceOf(CancelledError);
  });
});
