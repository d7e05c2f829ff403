import { expect, test } from 'vitest';
import type { Clamped, SpanDetail } from '../../api/types.ts';
import { Cuts, pointerStep } from './cuts.ts';

test('a cut value is known by where it is and by what holds it', () => {
  const result = { text: 'x', is_json: false, is_truncated: false, original_bytes: null };
  const cut = (pointer: string): Clamped => ({ pointer, size_bytes: 9, is_json: false });
  const detail = {
    attributes: { 'a/b~': 'x' },
    view: { tool: { result }, messages: [{ parts: [{ text: 'a' }, { text: 'b' }] }] },
    clamped: [
      cut('/view/tool/result/text'),
      cut('/view/messages/0/parts/1/text'),
      cut('/attributes/a~1b~0'),
      cut('/nowhere/constructor/name'),
    ],
  } as unknown as SpanDetail;
  const cuts = new Cuts(detail);
  expect(cuts.of(result)?.pointer).toBe('/view/tool/result/text');
  const parts = detail.view.messages[0]?.parts ?? [];
  expect(parts.map((part) => cuts.of(part)?.size_bytes)).toEqual([undefined, 9]);
  expect(cuts.at(`/attributes${pointerStep('a/b~')}`)?.size_bytes).toBe(9);
  expect(cuts.size).toBe(4);
});
