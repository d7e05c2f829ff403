import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan, forestOf } from '../examples.ts';
import { spanKey } from '../trace/span-key.ts';
import { MIN_TURNS, outlineAt, outlineOf } from './outline.ts';
import { layoutTranscript } from './transcript.ts';

const MS = 1e6;

/** An agent with turns, each an LLM call and a tool after it; the tool of turn 2 fails. */
function run(turns: number): readonly SpanRow[] {
  const span = (number: number, kind: SpanRow['kind'], status: SpanRow['status'] = 'ok') =>
    exampleSpan({
      span_id: number.toString(16).padStart(16, '0'),
      parent_span_id: number === 1 ? null : '0000000000000001',
      kind,
      status,
      name: kind === 'tool' ? 'execute_tool search' : kind,
      offset_ns: number * 10 * MS,
      duration_ns: number === 1 ? 1e9 : MS,
    });
  const inside = Array.from({ length: turns }, (_, at) => [
    span(2 + 2 * at, 'llm'),
    span(3 + 2 * at, 'tool', at === 1 ? 'error' : 'ok'),
  ]);
  return [span(1, 'agent'), ...inside.flat()];
}

function outline(turns: number) {
  const rows = new Map(run(turns).map((one) => [spanKey(one), one]));
  const rowOf = (key: string) => rows.get(key);
  return outlineOf(layoutTranscript(forestOf([...rows.values()]), rowOf), rowOf);
}

test('a turn has its number in its agent, its tools, and whether one of them failed', () => {
  const [agent, first, second] = outline(MIN_TURNS);
  expect(agent).toMatchObject({ turn: undefined, index: 0, isFailed: false });
  expect(first).toMatchObject({ turn: 1, index: 1, isFailed: false });
  expect([...(first?.tools ?? [])]).toEqual([['execute_tool search', 1]]);
  expect(second).toMatchObject({ turn: 2, index: 3, isFailed: true });
});

test('the turns of an agent are set in below it, those of its caller less', () => {
  const span = (number: number, above: number | null, kind: SpanRow['kind']) =>
    exampleSpan({
      span_id: number.toString(16).padStart(16, '0'),
      parent_span_id: above === null ? null : above.toString(16).padStart(16, '0'),
      kind,
      name: kind,
      offset_ns: number * 10 * MS,
      duration_ns: 1e9,
    });
  const spans = [span(1, null, 'agent'), span(2, 1, 'llm'), span(3, 1, 'agent')];
  for (let number = 4; number < 9; number += 1) spans.push(span(number, 3, 'llm'));
  const rows = new Map(spans.map((one) => [spanKey(one), one]));
  const rowOf = (key: string) => rows.get(key);
  const open = new Set(rows.keys());
  const found = outlineOf(layoutTranscript(forestOf(spans), rowOf, { open }), rowOf);
  expect(found.slice(0, 4).map(({ row, depth }) => [row.kind, depth])).toEqual([
    ['agent', 0],
    ['llm', 1],
    ['agent', 1],
    ['llm', 2],
  ]);
});

test('the turn in view is the last that begins at or above the first entry in view', () => {
  const rows = outline(MIN_TURNS);
  expect([0, 1, 2, 3, 4].map((index) => outlineAt(rows, index)?.turn)).toEqual([
    undefined,
    1,
    1,
    2,
    2,
  ]);
  expect(outlineAt([], 3)).toBeUndefined();
});

test('a short transcript has no outline', () => {
  expect(outline(MIN_TURNS - 1)).toEqual([]);
});

test('agents whose turns are folded are enough for an outline', () => {
  const span = (number: number, above: number | null, kind: SpanRow['kind']) =>
    exampleSpan({
      span_id: number.toString(16).padStart(16, '0'),
      parent_span_id: above === null ? null : above.toString(16).padStart(16, '0'),
      kind,
      name: kind,
      offset_ns: number * 10 * MS,
      duration_ns: MS,
    });
  const spans = [span(1, null, 'agent')];
  for (let number = 2; number < 2 + 2 * MIN_TURNS; number += 2) {
    spans.push(span(number, 1, 'agent'), span(number + 1, number, 'llm'));
  }
  const rows = new Map(spans.map((one) => [spanKey(one), one]));
  const rowOf = (key: string) => rows.get(key);
  const found = outlineOf(layoutTranscript(forestOf(spans), rowOf, { open: new Set() }), rowOf);
  expect(found.map(({ row }) => row.kind)).toEqual(Array(MIN_TURNS + 1).fill('agent'));
});
