import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanRow } from '../../api/types.ts';
import { exampleSpan, treeOf } from '../examples.ts';
import { atOnce } from '../slices.ts';
import { type AgentGraph, agentGraphOf, type GraphOptions } from './agent-graph.ts';
import { handOffOf } from './hand-off.ts';

const OPTIONS: GraphOptions = {
  isSequence: false,
  hasModels: false,
  hasTools: false,
  most: 200,
  handOffs: new Map(),
  servers: new Map(),
};

function graph(rows: readonly SpanRow[], options: Partial<GraphOptions> = {}): AgentGraph {
  return atOnce(agentGraphOf(treeOf(rows), { ...OPTIONS, ...options }));
}

let started = 0;
function span(id: string, parent: string | null, values: Partial<SpanRow>): SpanRow {
  started += 10;
  const subject = values.name?.replace(/^(?:invoke_agent|execute_tool) /, '');
  return exampleSpan({
    span_id: id,
    parent_span_id: parent,
    offset_ns: started,
    subject: subject ?? null,
    ...values,
  });
}

const RUN = [
  span('root', null, { name: 'run', kind: 'workflow' }),
  span('t', 'root', { name: 'invoke_agent triage', kind: 'agent' }),
  span('t1', 't', { name: 'chat', kind: 'llm', model: 'small', input_tokens: 10 }),
  span('th', 't', { name: 'handoff to billing', kind: 'other' }),
  span('b', 'root', { name: 'invoke_agent billing', kind: 'agent', status: 'error' }),
  span('b1', 'b', { name: 'execute_tool look_up', status: 'error' }),
  span('b2', 'b', { name: 'execute_tool ask_expert' }),
  span('e', 'b2', { name: 'invoke_agent Policy expert', kind: 'agent', input_tokens: 7 }),
  span('bh', 'b', { name: 'execute_tool transfer_to_policy_expert' }),
  span('bu', 'b', { name: 'billing → nobody.handoff', kind: 'other' }),
];

const edgesOf = ({ edges }: AgentGraph) =>
  edges.map(({ from, kind, to, count }) => `${from} ${kind} ${to} ${count}`).sort();

test('agents are connected by whom they called and whom they handed over to', () => {
  const found = graph(RUN);
  expect(edgesOf(found)).toEqual([
    'agent billing calls agent Policy expert 1',
    'agent billing handoff agent Policy expert 1',
    'agent billing handoff agent nobody 1',
    'agent triage handoff agent billing 1',
  ]);
  const by = new Map(found.nodes.map((node) => [node.name, node]));
  expect(by.get('triage')?.tokens).toBe(10);
  expect(by.get('billing')).toMatchObject({ count: 1, errors: 2, tokens: 0, open: 't.b' });
  expect(by.get('Policy expert')?.tokens).toBe(7);
  expect(by.get('nobody')).toMatchObject({ count: 0, open: undefined });
});

test('a run is of the agent that it says, whatever its span is called', () => {
  const runs = [
    span('lead', null, { name: 'invoke_agent gpt-4o-mini', kind: 'agent' }),
    span('helper', 'lead', {
      name: 'invoke_agent gpt-4o-mini',
      kind: 'agent',
      subject: 'weather',
    }),
  ];
  expect(edgesOf(graph(runs))).toEqual(['agent gpt-4o-mini calls agent weather 1']);
});

test('models and tools are shown when asked for, but not the tool that is the call of an agent', () => {
  const names = graph(RUN, { hasModels: true, hasTools: true }).nodes.map(({ id }) => id);
  expect(names).toContain('model small');
  expect(names).toContain('tool look_up');
  expect(names).not.toContain('tool ask_expert');
  expect(names).not.toContain('tool transfer_to_policy_expert');
});

test('as it happened, each run is a node, and edges are numbered by time', () => {
  const again = span('t2', 'root', { name: 'invoke_agent triage', kind: 'agent' });
  const found = graph([...RUN, again], { isSequence: true });
  expect(found.nodes.filter(({ name }) => name === 'triage')).toHaveLength(2);
  const orders = found.edges.map(({ order }) => order);
  expect(orders.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(orders.map((_, at) => at + 1));
});

test('of agents that run, the one is active below which none runs', () => {
  const running = { kind: 'agent', status: 'running', duration_ns: null } as const;
  const rows = [
    span('p', null, { ...running, name: 'planner' }),
    span('w', 'p', { ...running, name: 'writer', waited: [[5, null]], waits: 1 }),
  ];
  const [planner, writer] = graph(rows).nodes;
  expect([planner?.running, planner?.active, writer?.active]).toEqual([1, 0, 1]);
  expect([planner?.waiting, writer?.waiting]).toEqual([0, 1]);
});

test('what the service reads from attributes counts before the name', () => {
  const handOffs = new Map([['t.th', { from: 'billing', to: 'triage' }]]);
  expect(edgesOf(graph(RUN, { handOffs }))).toContain('agent billing handoff agent triage 1');
});

test.each([
  ['handoff to billing', undefined, 'billing'],
  ['handoff from triage to billing', 'triage', 'billing'],
  ['Handoff: triage -> billing', 'triage', 'billing'],
  ['triage → billing.handoff', 'triage', 'billing'],
])('%s is a hand-off', (name, from, to) => {
  expect(handOffOf(exampleSpan({ name, kind: 'other' }))).toEqual({ from, to });
});

test.each(['hand off', 'handoff', 'a → b', 'transfer_to_billing'])('%s is none', (name) => {
  expect(handOffOf(exampleSpan({ name, kind: 'other' }))).toBeUndefined();
});

const trees = fc.array(
  fc.record({
    parent: fc.nat(40),
    kind: fc.constantFrom('agent', 'llm', 'tool', 'other'),
    name: fc.constantFrom('a', 'b', 'handoff to a', 'handoff to c', 'transfer_to_b', 'x'),
  }),
  { maxLength: 40 },
);

test('whatever the tree, edges join nodes that are shown, and no more are shown than asked for', () => {
  fc.assert(
    fc.property(trees, fc.boolean(), fc.integer({ min: 1, max: 6 }), (drawn, isSequence, most) => {
      const rows = drawn.map(({ parent, ...values }, at) =>
        exampleSpan({
          ...values,
          span_id: `s${at}`,
          parent_span_id: `s${parent}`,
          offset_ns: at,
        } as Partial<SpanRow>),
      );
      const found = graph(rows, { isSequence, most, hasModels: true, hasTools: true });
      const ids = new Set(found.nodes.map(({ id }) => id));
      expect(ids.size).toBe(found.nodes.length);
      expect(ids.size).toBeLessThanOrEqual(most);
      for (const { from, to } of found.edges) expect(ids.has(from) && ids.has(to)).toBe(true);
    }),
  );
});

test('a tool is of the MCP server that its call or an exchange below it reports, by name and server', () => {
  const rows = [
    span('lead', null, { name: 'invoke_agent lead', kind: 'agent' }),
    span('1', 'lead', { name: 'execute_tool read', kind: 'tool' }),
    span('1m', '1', { name: 'tools/call read', kind: 'mcp' }),
    span('2', 'lead', { name: 'execute_tool read', kind: 'tool' }),
    span('3', 'lead', { name: 'execute_tool read', kind: 'tool' }),
    span('3d', '3', { name: 'tools/call read', kind: 'tool', duplicate_of: '3' }),
    span('4', 'lead', { name: 'execute_tool read', kind: 'tool' }),
  ];
  const servers = new Map([
    ['t.1m', 'files'],
    ['t.2', 'web'],
    ['t.3d', 'files'],
    ['t.gone', 'web'],
  ]);
  const { nodes } = graph(rows, { hasTools: true, servers });
  const tools = nodes.filter(({ kind }) => kind === 'tool');
  expect(tools.map(({ name, server, count }) => [name, server, count])).toEqual([
    ['read', 'files', 2],
    ['read', 'web', 1],
    ['read', undefined, 1],
  ]);
});

test('a call that failed counts at its agent where it has no node, and an agent takes its whole time', () => {
  const rows = [
    span('m', null, {
      name: 'invoke_agent main',
      kind: 'agent',
      duration_ns: 86e9,
      waited: [[1e9, 56e9]],
    }),
    span('f', 'm', { name: 'execute_tool fetch', kind: 'tool', status: 'error' }),
  ];
  expect(graph(rows).nodes).toMatchObject([
    { errors: 1, open: 't.f', took_ns: 86e9, waited_ns: 56e9 },
  ]);
  const drawn = graph(rows, { hasTools: true }).nodes;
  expect(drawn.map(({ errors, open }) => [errors, open])).toEqual([
    [0, 't.m'],
    [1, 't.f'],
  ]);
});
