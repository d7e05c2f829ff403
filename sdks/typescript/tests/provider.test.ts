import { get } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { diag, SpanStatusCode, trace } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

import { attach, type Handle, session, tool } from '../src/index.js';
import { Redactor } from '../src/redaction/redactor.js';
import { Delivery } from '../src/telemetry/delivery.js';
import { ProcessIdentity } from '../src/telemetry/identity.js';
import { Api, type Row } from './support/api.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'mine', 'service.instance.id': 'instance-1' }),
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});
const api = new Api();
const url = inject('url');
const token = inject('token');

beforeAll(() => provider.register());
afterAll(() => provider.shutdown());

const isOver = (rows: Row[]) => rows.length > 0 && rows.every((row) => row.status !== 'running');
const KEY = `sk-${'a1B2'.repeat(8)}`;

async function detailOf(id: string, handle: Handle) {
  await session(id, async () => {
    await tool((args: { key: string }) => args.key, { name: 'echo' })({ key: KEY }).catch(() => {});
    trace.getTracer('other').startActiveSpan(`call ${KEY}`, (span) => {
      span.setAttributes({ 'gen_ai.prompt': `say ${KEY}`, 'http.url': `http://a/?token=${KEY}` });
      span.addEvent('gen_ai.user.message', { content: 'hello', role: 'user' });
      span.setStatus({ code: SpanStatusCode.ERROR, message: `bad ${KEY}` });
      span.end();
    });
  });
  const rows = await api.rows(id, (some) => some.length === 2 && isOver(some));
  await handle.detach();
  return Promise.all(rows.map((row) => api.span(row)));
}

test('beside an SDK, both get each span, and the process keeps its own name', async () => {
  const handle = attach({ url, token });
  expect(attach({ url, token })).toBe(handle);
  await session('beside', () => tool(() => 1, { name: 'one' })());
  const [row] = await api.rows('beside', isOver);
  const mine = exporter.getFinishedSpans();
  expect(mine.map((span: ReadableSpan) => span.spanContext().spanId)).toEqual([row?.span_id]);
  expect(JSON.stringify(await api.span(row as Row))).toContain('instance-1');
  await handle.detach();
  await session('after', () => tool(() => 1, { name: 'two' })());
  expect(exporter.getFinishedSpans()).toHaveLength(1);
  expect(handle.isAttached).toBe(false);
});

test('a resource that is still being detected is sent as far as it is known', () => {
  const error = vi.fn();
  const quiet = () => {};
  diag.setLogger({ error, warn: quiet, info: quiet, debug: quiet, verbose: quiet });
  const resource = resourceFromAttributes({
    'service.name': 'mine',
    'host.id': new Promise<string>(() => {}),
  });
  const identity = new ProcessIdentity(undefined);
  identity.adopt(resource);
  expect(identity.service).toBe('mine');
  expect(identity.complete(resource).attributes).toMatchObject({ 'service.name': 'mine' });
  expect(error).not.toHaveBeenCalled();
  diag.disable();
});

test('the attributes that the environment gives a process are on spans and heartbeats', () => {
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'tenant=acme,service.name=other');
  const identity = new ProcessIdentity(undefined, 'mine');
  vi.unstubAllEnvs();
  const expected = { tenant: 'acme', 'service.name': 'mine', 'service.instance.id': identity.id };
  expect(identity.resource.attributes).toMatchObject(expected); // that of heartbeats
  expect(identity.complete(resourceFromAttributes({})).attributes).toMatchObject(expected);
});

test('our own requests are nobody’s spans', async () => {
  const instrumentation = new HttpInstrumentation();
  instrumentation.setTracerProvider(provider);
  createRequire(import.meta.url)('node:http'); // this is when it is instrumented
  syncBuiltinESMExports();
  exporter.reset();
  const handle = attach({ url, token });
  await session('quiet', () => tool(() => 1, { name: 'quiet' })());
  await handle.flush();
  await new Promise((resolve) =>
    get(`${url}/health`, (reply) => reply.resume().on('end', resolve)),
  );
  await handle.detach();
  const names = exporter.getFinishedSpans().map(({ name }) => name);
  expect(names).toEqual(['execute_tool quiet', 'GET']);
  instrumentation.disable();
});

test('redacted: secrets go from our spans and from those of others', async () => {
  const details = await detailOf('redacted', attach({ url, token }));
  const text = JSON.stringify(details);
  expect(text).not.toContain(KEY);
  expect(text).toContain('say [redacted]');
  expect(text).toContain('call [redacted]');
});

test('off: content goes as well, and what asks is still shown whole', async () => {
  const handle = attach({ url, token, capture: 'off' });
  const asking = tool((args: { path: string }) => args.path, { name: 'shown', ask: true });
  const result = asking({ path: '/tmp/a' });
  const request = await api.request('shown');
  expect(request.args_json).toBe('{"path":"/tmp/a"}');
  await api.answer(request, { decision: 'allow' });
  expect(await result).toBe('/tmp/a');
  const text = JSON.stringify(await detailOf('off', handle));
  expect(text).not.toContain('gen_ai.prompt');
  expect(text).not.toContain('gen_ai.tool.call.arguments');
  expect(text).not.toContain('hello');
  expect(await api.get(`/requests/${request.id}`)).toMatchObject({ args_json: null });
});

test('content that is too long is cut to JSON, and marked', async () => {
  const handle = attach({ url, token });
  await session('long', () => tool(() => 1, { name: 'long' })({ text: 'x'.repeat(100_000) }));
  const [row] = await api.rows('long', isOver);
  const { attributes } = await api.span(row as Row);
  const args = attributes['gen_ai.tool.call.arguments'] as string;
  expect(Buffer.byteLength(args)).toBeLessThanOrEqual(30_720);
  expect(JSON.parse(args)).toHaveProperty('text');
  expect(attributes['inspector.truncated']).toEqual(['gen_ai.tool.call.arguments']);
  await handle.detach();
});

test('the buffer is bounded: the oldest go, and are counted', async () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const away = { url: 'http://127.0.0.1:9', token: undefined, isNamed: true };
  const identity = new ProcessIdentity(new Redactor());
  const delivery = new Delivery(away, identity, (item) => item, {
    maxItems: 10,
    maxBytes: 2 ** 20,
  });
  const { resource } = identity;
  for (let n = 0; n < 25; n++) {
    const record = { name: 'x', time: [n, 0] as [number, number], spanContext: undefined };
    delivery.put({ record: { ...record, attributes: {}, resource } });
  }
  expect(delivery.dropped).toBe(15);
  expect(await delivery.flush(50)).toBe(false);
  await delivery.close(10);
  expect(said).toHaveBeenCalledTimes(2); // that it is full, and what was lost
});
