import { expect, test } from 'vitest';
import { SAVED_TEXT } from '../texts.ts';
import { httpApi } from './client.ts';
import { NOWHERE, SavedAnswers } from './saved-answers.ts';

const [A, B] = [`${'a'.repeat(32)}.${'1'.repeat(16)}`, `${'a'.repeat(32)}.${'2'.repeat(16)}`];
const reading = (key: string) => ({ trace_id: key.split('.')[0], span_id: key.split('.')[1] });

function apiOf(...lines: (readonly [string, unknown, (string | null)?])[]) {
  const answers = new SavedAnswers(
    lines.map(([path, body, cursor = null]) => [path, JSON.stringify(body), cursor]),
  );
  return httpApi(NOWHERE, answers.fetch);
}

test('an answer is found however its address is written, and however much is asked for', async () => {
  const api = apiOf(
    ['/sessions/it%27s%20%28a%29/mcp?cursor=x%2Ay', { entries: [] }],
    [`/spans/${A.replace('.', '/')}?max_value_bytes=4096`, { name: 'cut' }],
  );
  expect(await api.mcpLog("it's (a)", { cursor: 'x*y', limit: 7 })).toEqual({ entries: [] });
  const [trace_id = '', span_id = ''] = A.split('.');
  expect(JSON.parse(await api.spanText({ session_id: 's', trace_id, span_id }))).toEqual({
    name: 'cut',
  });
});

test('a span of which there is only a part is not copied as if it were whole', async () => {
  const cut = { name: 'cut', clamped: [{ pointer: '/view/tool/result' }] };
  const [trace_id = '', span_id = ''] = A.split('.');
  const span = { session_id: 's', trace_id, span_id };
  const api = apiOf([`/spans/${trace_id}/${span_id}?max_value_bytes=4096`, cut]);
  await expect(api.spanText(span)).rejects.toThrow(SAVED_TEXT.missing);
  expect(JSON.parse(await api.spanText(span, undefined, 65_536))).toEqual(cut);
});

test('the cursor of the next page comes with the first one', async () => {
  const api = apiOf(['/sessions/s/spans?format=columns&limit=20000', {}, 'next']);
  expect((await api.spans('s', { limit: 500 })).next_cursor).toBe('next');
});

test('readings are joined from other groups, best with the call before that is asked for', async () => {
  const api = apiOf(
    [`/sessions/s/transcript?span=${A}`, { readings: [reading(A)], left_out: [] }],
    [`/sessions/s/transcript?span=${B}~${A}`, { readings: [reading(B)], left_out: [B] }],
  );
  const both = { readings: [reading(B), reading(A)], left_out: [] };
  expect(await api.transcript('s', [`${B}~${A}`, A])).toEqual(both);
  expect(await api.transcript('s', [B, `${A}~${B}`, 'nobody'])).toEqual(both);
  await expect(api.transcript('s', ['nobody'])).rejects.toThrow(SAVED_TEXT.missing);
});

test('a step of a state is found from any span', async () => {
  const api = apiOf(['/spans/t/1/state?name=plan&position=3', { position: 3 }]);
  expect(
    await api.spanState({ trace_id: 't', span_id: '2' }, { name: 'plan', position: 3 }),
  ).toEqual({ position: 3 });
});

test('what is not there is said to be missing, and nothing can be changed', async () => {
  const api = apiOf();
  await expect(api.session('s')).rejects.toThrow(SAVED_TEXT.missing);
  await expect(api.deleteSession('s')).rejects.toThrow(SAVED_TEXT.readOnly);
  await expect(api.command('s', 'cancel')).rejects.toThrow(SAVED_TEXT.readOnly);
});
