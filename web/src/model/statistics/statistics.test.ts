import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentRun, SpanRow } from '../../api/types.ts';
import { exampleSpan } from '../examples.ts';
import { agentName, statisticsOf, toldAgents, toolName } from './statistics.ts';
import { finish } from './statistics-forest.ts';

interface Golden {
  readonly rows: readonly Partial<SpanRow>[];
  readonly agent_runs: readonly AgentRun[];
  readonly expected: Readonly<Record<'operations' | 'models' | 'tools' | 'agents', unknown>>;
}

const golden = JSON.parse(
  readFileSync(resolve('../tests/golden/statistics.json'), 'utf8'),
) as Golden;

describe('the numbers of the service', () => {
  const found = finish(statisticsOf(golden.rows.map(exampleSpan), toldAgents(golden.agent_runs)));
  test.each(['operations', 'models', 'tools', 'agents'] as const)('%s', (name) => {
    expect(found[name]).toEqual(golden.expected[name]);
  });
});

const rows = fc
  .array(
    fc.record({
      parent: fc.nat(30),
      kind: fc.constantFrom('agent', 'llm', 'tool', 'other'),
      name: fc.constantFrom('a', 'b'),
      offset_ns: fc.integer({ min: -50, max: 100 }),
      duration_ns: fc.option(fc.nat(100)),
      input_tokens: fc.option(fc.nat(10)),
      twin: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((drawn) =>
    drawn.map(({ parent, twin, ...values }, at) =>
      exampleSpan({
        ...values,
        span_id: `s${at}`,
        parent_span_id: `s${parent}`,
        duplicate_of: twin && at % 5 === 0 ? `s${parent}` : null,
      } as Partial<SpanRow>),
    ),
  );

test('whatever the tree, no token is counted twice and none is lost', () => {
  fc.assert(
    fc.property(rows, (spans) => {
      const found = finish(statisticsOf(spans));
      const ofOperations = found.operations.reduce((sum, { used }) => sum + used.input_tokens, 0);
      const ofModels = found.models.reduce((sum, { used }) => sum + used.input_tokens, 0);
      expect(ofOperations).toBe(found.used.input_tokens);
      expect(ofModels).toBe(found.used.input_tokens);
      for (const agent of found.agents) {
        expect(agent.used.input_tokens).toBeLessThanOrEqual(agent.used_in_all.input_tokens);
        expect(agent.used_in_all.input_tokens).toBeLessThanOrEqual(found.used.input_tokens);
      }
    }),
  );
});

test('whatever the tree, each span is in one operation, in itself no longer than it took', () => {
  fc.assert(
    fc.property(rows, (spans) => {
      const found = finish(statisticsOf(spans));
      const counted = found.operations.reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(spans.filter(({ duplicate_of }) => duplicate_of === null).length);
      for (const { own_ns, times } of found.operations) {
        expect(own_ns).toBeGreaterThanOrEqual(0);
        expect(own_ns).toBeLessThanOrEqual(times.total_ns);
        expect(times.median_ns ?? 0).toBeLessThanOrEqual(times.p95_ns ?? 0);
        expect(times.p95_ns ?? 0).toBeLessThanOrEqual(times.longest_ns ?? 0);
      }
    }),
  );
});

test('the work gives way often enough for 100 000 spans', () => {
  const spans = Array.from({ length: 20_000 }, (_, at) =>
    exampleSpan({ span_id: `s${at}`, parent_span_id: `s${at >> 1}`, offset_ns: at }),
  );
  const slices = statisticsOf(spans);
  let pauses = 0;
  while (slices.next().done !== true) pauses += 1;
  expect(pauses).toBeGreaterThan(20_000 / 1000);
});

test.each([
  ['invoke_agent planner', 'planner'],
  ['weather.agent', 'weather'],
  ['.agent', '.agent'],
  ['invoke_agent', 'invoke_agent'],
])('%s is the agent %s', (name, agent) => expect(agentName(name)).toBe(agent));

test.each(['execute_tool read', 'MCP send tools/call read', 'read.tool', 'read'])(
  '%s calls the tool read',
  (name) => expect(toolName(name)).toBe('read'),
);
