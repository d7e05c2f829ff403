import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan, forestOf } from '../examples.ts';
import { deepestRunning, type LiveBranches, liveBranches } from './live-branches.ts';
import { AS_AT_FIRST } from './span-forest.ts';

function span(id: string, parent: string | null, values: Partial<SpanRow> = {}): SpanRow {
  return exampleSpan({ trace_id: 't', span_id: id, parent_span_id: parent, ...values });
}

// run ─┬─ first ─── search ─── request
//      └─ second ── fetch
const SPANS = [
  span('run', null, { offset_ns: 0 }),
  span('first', 'run', { offset_ns: 1 }),
  span('search', 'first', { offset_ns: 2 }),
  span('request', 'search', { offset_ns: 3 }),
  span('second', 'run', { offset_ns: 4 }),
  span('fetch', 'second', { offset_ns: 5 }),
];
const FOREST = forestOf(SPANS);

function keys(...ids: string[]): string[] {
  return ids.map((id) => `t.${id}`);
}

function shown(live: LiveBranches, byHand: ReadonlyMap<string, boolean> = new Map()): string[] {
  const rows = FOREST.arrange({ ...AS_AT_FIRST, byHand, live: live.open });
  return Array.from(
    { length: rows.count },
    (_, row) => SPANS[rows.spanIndex[row] ?? 0]?.span_id ?? '',
  );
}

test('the branch at work is unfolded, the others are folded', () => {
  const live = liveBranches(FOREST, keys('run', 'first', 'search'), undefined, []);
  expect(shown(live)).toEqual(['run', 'first', 'search', 'request', 'second']);
});

test('a branch folds when it ends, and a root never does', () => {
  const before = liveBranches(FOREST, keys('run', 'first', 'search'), undefined, []);
  const next = liveBranches(FOREST, keys('run', 'second', 'fetch'), before, []);
  expect(shown(next)).toEqual(['run', 'first', 'second', 'fetch']);
  expect(shown(liveBranches(FOREST, [], next, []))).toEqual(['run', 'first', 'second']);
});

test('a branch that is looked at when it ends stays, also when nobody looks any more', () => {
  const before = liveBranches(FOREST, keys('run', 'first', 'search'), undefined, []);
  const ended = liveBranches(FOREST, keys('run', 'second'), before, keys('request'));
  expect(shown(ended)).toEqual(['run', 'first', 'search', 'request', 'second', 'fetch']);
  const later = liveBranches(FOREST, keys('run'), ended, []);
  expect(shown(later)).toEqual(['run', 'first', 'search', 'request', 'second']);
});

test('what the reader folded or unfolded by hand stays so', () => {
  const live = liveBranches(FOREST, keys('run', 'first', 'search'), undefined, []);
  const byHand = new Map([
    ['t.first', true],
    ['t.second', false],
  ]);
  expect(shown(live, byHand)).toEqual(['run', 'first', 'second', 'fetch']);
});

test('now are the running spans in which nothing else runs, without duplicates', () => {
  const running = new Map(
    SPANS.filter(({ span_id }) => span_id !== 'fetch').map((one) => [`t.${one.span_id}`, one]),
  );
  const names = deepestRunning(FOREST, running).map(({ span_id }) => span_id);
  expect(names).toEqual(['second', 'request']);
  running.set('t.request', span('request', 'search', { duplicate_of: 'search' }));
  const others = deepestRunning(FOREST, running).map(({ span_id }) => span_id);
  expect(others).toEqual(['second', 'search']);
});
