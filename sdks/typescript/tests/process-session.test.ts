import { SpanKind, trace } from '@opentelemetry/api';
import { expect, inject, test } from 'vitest';

import { attach, session, tool } from '../src/index.js';
import { Api, type Json, until } from './support/api.js';

test('a script is one session if that is asked for, until it serves', async () => {
  const handle = attach({ url: inject('url'), token: inject('token'), session: 'per-process' });
  const api = new Api();
  const step = tool((args: { n: number }) => args.n, { name: 'step' });
  await step({ n: 1 });
  const spanOf = async (name: string) => {
    const { sessions } = await api.get<{ sessions: Json[] }>('/sessions');
    return sessions.find(({ title }) => title === name);
  };
  const { id } = (await until(() => spanOf('execute_tool step'))) as { id: string };
  expect(id).toMatch(/^run-[0-9a-f]{16}$/);

  const running = trace.getTracer('x').startSpan('running');
  await api.rows(id, (rows) => rows.length === 2);
  await api.post(`/sessions/${id}/pause`);
  const held = step({ n: 2 });
  await api.rows(id, (rows) =>
    rows.some(({ status, name }) => status === 'running' && name !== 'running'),
  );
  await api.post(`/sessions/${id}/resume`);
  expect(await held).toBe(2);
  running.end();
  await session('named', () => step({ n: 3 }));

  trace.getTracer('x').startSpan('GET /', { kind: SpanKind.SERVER }).end();
  trace.getTracer('x').startSpan('after it served').end();
  expect((await until(() => spanOf('after it served')))?.['id']).toMatch(/^[0-9a-f]{32}$/);
  await api.rows('named', (rows) => rows.length === 1);
  expect(await api.rows(id, () => true)).toHaveLength(3);
  await handle.detach();
});
