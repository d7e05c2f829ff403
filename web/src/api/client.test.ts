import fc from 'fast-check';
import { expect, test } from 'vitest';
import { httpApi, skeletonOf } from './client.ts';
import type { SpanColumns } from './types.ts';

const FIELDS = `trace_id span_id parent_span_id name kind status offset_ns duration_ns wait_ns waits
  waited model input_tokens output_tokens cost_usd size_bytes duplicate_of subject service stall_start_ns stall_ns change`.split(
  /\s+/,
);

test('columns become the rows that they were made of', () => {
  const values = fc.record(Object.fromEntries(FIELDS.map((name) => [name, fc.anything()])));
  fc.assert(
    fc.property(fc.array(values), (rows) => {
      const columns = Object.fromEntries(
        FIELDS.map((name) => [name, rows.map((row) => row[name])]),
      ) as SpanColumns['columns'];
      const page = { session_id: 's', epoch_ns: '0', next_cursor: null, as_of: '' };
      expect(skeletonOf({ ...page, columns })).toEqual({ ...page, spans: rows });
    }),
  );
});

test('pages are read from lines, however these are cut on their way', async () => {
  const page = fc.record({ epoch_ns: fc.string({ unit: 'grapheme' }), name: fc.string() });
  await fc.assert(
    fc.asyncProperty(fc.array(page), fc.integer({ min: 1, max: 50 }), async (pages, most) => {
      const lines = pages.map(({ epoch_ns, name }) => {
        const values = FIELDS.map((field) => [field, [field === 'name' ? name : null]]);
        return `${JSON.stringify({ epoch_ns, columns: Object.fromEntries(values) })}\n`;
      });
      const bytes = new TextEncoder().encode(lines.join(''));
      const body = new ReadableStream({
        start(stream) {
          for (let at = 0; at < bytes.length; at += most)
            stream.enqueue(bytes.subarray(at, at + most));
          stream.close();
        },
      });
      const api = httpApi('http://service.invalid/', async () => new Response(body));
      const found: unknown[] = [];
      for await (const { epoch_ns, spans } of await api.spansAfter('s', { cursor: 'c', limit: 1 }))
        found.push(...spans.map(({ name }) => ({ epoch_ns, name })));
      expect(found).toEqual(pages);
    }),
  );
});

test('code in a problem is in quotes, as nothing on the page reads Markdown', async () => {
  const detail = 'Ann already answered with `allow`. Unexpected ` in a name.';
  const problem = Response.json({ code: 'already_answered', detail }, { status: 409 });
  const api = httpApi('http://service.invalid/', async () => problem);
  await expect(api.session('s')).rejects.toMatchObject({
    message: 'Ann already answered with “allow”. Unexpected ` in a name.',
    problem: { detail },
  });
});

test('a service that does not answer is no reason for backticks either', async () => {
  const api = httpApi('http://service.invalid/', () => Promise.reject(new TypeError('refused')));
  await expect(api.session('s')).rejects.toThrow('Is “inspector serve” running?');
});
