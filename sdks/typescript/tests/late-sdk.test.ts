import { trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { expect, inject, test } from 'vitest';

import { attach, session, tool } from '../src/index.js';
import { Api, type Row } from './support/api.js';

test('an SDK that the program starts after attach() is the global one, and is watched', async () => {
  const handle = attach({ url: inject('url'), token: inject('token') });
  const one = tool(() => trace.getTracer('mine').startSpan('inner').end(), { name: 'one' });
  await session('late', () => one());

  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  await session('late', () => one());
  const names = exporter.getFinishedSpans().map(({ name }) => name);
  expect(names).toEqual(['inner', 'execute_tool one']);

  const isWhole = (rows: Row[]) =>
    rows.length === 4 && rows.every(({ status }) => status !== 'running');
  const rows = await new Api().rows('late', isWhole);
  expect(new Set(rows.map(({ trace_id }) => trace_id)).size).toBe(2);

  await handle.detach();
  trace.getTracer('mine').startSpan('after').end();
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain('after');
  await provider.shutdown();
});
