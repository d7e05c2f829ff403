import { expect, test } from 'vitest';
import { exampleUsage } from '../examples.ts';
import { parseTimeRange } from './time-range.ts';
import { costText, filterOfGroup, remarksOn, shareOf } from './usage-groups.ts';

const ALL = parseTimeRange(null);
const NOW_MS = Date.parse('2026-02-03T06:00:00Z');

test.each([
  ['user', 'ada', '', 'user:ada'],
  ['user', 'Ada "L", *', 'status:failed', 'status:failed user:"Ada \\"L\\", *"'],
  ['tag', 'a', 'tool:x OR tool:y', '(tool:x OR tool:y) tag:a'],
  ['model', 'm', 'user:ada model:m', 'user:ada model:m'],
  ['user', '', 'tool:x', 'tool:x -user:*'],
  ['model', '', '', 'span(kind:llm -model:*)'],
] as const)('the sessions of %s %j among those of %j are %j', (by, name, query, expected) => {
  expect(filterOfGroup(by, name, { query, range: parseTimeRange('7d') }, NOW_MS)).toEqual({
    q: expected,
    time: '7d',
  });
});

test.each([
  [null, '2026-02-03T00:00:00.000Z/2026-02-04T00:00:00.000Z'],
  ['1h', '2026-02-03T05:00:00.000Z/2026-02-04T00:00:00.000Z'],
  ['2026-02-01T00:00Z/2026-02-03T08:00Z', '2026-02-03T00:00:00.000Z/2026-02-03T08:00:00.000Z'],
])('the sessions of a day within %j are those of %j', (time, expected) => {
  const shown = { query: 'tool:x', range: parseTimeRange(time) };
  expect(filterOfGroup('day', '2026-02-03', shown, NOW_MS)).toEqual({
    q: 'tool:x',
    time: expected,
  });
});

test('a day that the range has left behind is still a range', () => {
  const shown = { query: '', range: parseTimeRange('1h') };
  const { time } = filterOfGroup('day', '2026-02-02', shown, NOW_MS);
  expect(parseTimeRange(time ?? null)).not.toEqual(ALL);
});

test('a cost that leaves calls out is a lower bound, and none is not zero', () => {
  const texts = exampleUsage([
    { cost_usd: 0.5 },
    { cost_usd: 0.5, uncosted_calls: 1 },
    { cost_usd: 0 },
    { cost_usd: null },
  ]).groups.map(costText);
  expect(texts).toEqual(['$0.50', '≥ $0.50', '$0', undefined]);
});

test('shares are of the cost only where every call carried one', () => {
  expect(shareOf(exampleUsage([{}]).total).of).toBe('cost');
  expect(shareOf(exampleUsage([{}, { cost_usd: null }]).total).of).toBe('tokens');
  expect(shareOf(exampleUsage([{ cost_usd: 0 }]).total).of).toBe('tokens');
});

test('what is cut, left out or counted twice is said', () => {
  expect(remarksOn(exampleUsage([{}]), 'user')).toEqual([]);
  const cut = { group_count: 3412, counted_from: '2026-01-02T03:04:05Z' };
  const { total } = exampleUsage([{}]);
  expect(remarksOn(exampleUsage([{}, {}], { ...cut, total }), 'user')).toEqual([
    'Only sessions since 2026-01-02 03:04 UTC are counted. Narrow the filter to count all.',
    'Only the 2 most expensive of 3\u202f412 users are shown.',
    'Sessions with several users count for each of them.',
  ]);
  expect(remarksOn(exampleUsage([{}, { cost_usd: null }]), 'day')).toEqual([
    '≥: excludes 40 calls without a known price.',
    'Days are UTC.',
  ]);
});
