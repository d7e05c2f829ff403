/** The graph as tables, for screen readers and for those who want the numbers. */

import { useMemo } from 'react';
import type { SpanKind } from '../../api/types.ts';
import type { AgentGraph, GraphEdge, GraphNode } from '../../model/graph/agent-graph.ts';
import { groupThousands } from '../../model/text/format.ts';
import { GRAPH_TEXT } from '../../texts.ts';
import { KindIcon } from '../parts/icons.tsx';
import { SpanLink } from '../parts/statistics/cells.tsx';
import { costColumn, countColumn, errorsColumn, timeColumn } from '../parts/statistics/columns.tsx';
import { type Column, SortableTable } from '../parts/statistics/sortable-table.tsx';
import '../parts/statistics/statistics.css';

interface GraphTablesProps {
  readonly graph: AgentGraph;
  readonly onSelect: (key: string | undefined) => void;
}

const ICONS: Readonly<Record<GraphNode['kind'], SpanKind>> = {
  agent: 'agent',
  model: 'llm',
  tool: 'tool',
};
const WORDS = { calls: 'calls', handoff: GRAPH_TEXT.handsOffTo, uses: 'uses' } as const;

export function GraphTables({ graph, onSelect }: GraphTablesProps) {
  const nodeColumns = useMemo(() => columnsOfNodes(onSelect), [onSelect]);
  const edgeColumns = useMemo(() => columnsOfEdges(graph, onSelect), [graph, onSelect]);
  return (
    <div className="ins-stats">
      <section className="ins-stats__section">
        <header>
          <h2>{GRAPH_TEXT.nodes}</h2>
        </header>
        <SortableTable
          label={GRAPH_TEXT.nodes}
          rows={graph.nodes}
          keyOf={({ id }) => id}
          columns={nodeColumns}
        />
      </section>
      {graph.edges.length > 0 && (
        <section className="ins-stats__section">
          <header>
            <h2>{GRAPH_TEXT.edges}</h2>
          </header>
          <SortableTable
            label={GRAPH_TEXT.edges}
            rows={graph.edges}
            keyOf={({ id }) => id}
            columns={edgeColumns}
          />
        </section>
      )}
    </div>
  );
}

function columnsOfNodes(onSelect: GraphTablesProps['onSelect']): Column<GraphNode>[] {
  return [
    {
      id: 'name',
      head: GRAPH_TEXT.name,
      value: ({ name }) => name,
      Shown: ({ row }) => (
        <SpanLink
          name={row.name}
          icon={<KindIcon kind={ICONS[row.kind]} />}
          title={row.kind}
          onOpen={() => row.open !== undefined && onSelect(row.open)}
        />
      ),
    },
    {
      id: 'count',
      head: GRAPH_TEXT.runsOrCalls,
      value: ({ count }) => count,
      Shown: ({ row }) => groupThousands(row.count),
    },
    countColumn('running', GRAPH_TEXT.running, ({ running }) => running),
    countColumn('waiting', GRAPH_TEXT.waiting, ({ waiting }) => waiting),
    errorsColumn(),
    timeColumn('time', GRAPH_TEXT.time, ({ took_ns }) => took_ns),
    timeColumn('waited', GRAPH_TEXT.waited, ({ waited_ns }) => waited_ns, { isOptional: true }),
    countColumn('tokens', GRAPH_TEXT.tokens, ({ tokens }) => tokens, {
      about: GRAPH_TEXT.excludesSubAgents,
    }),
    costColumn('cost', GRAPH_TEXT.cost, ({ cost_usd }) => cost_usd),
  ];
}

function columnsOfEdges(
  { nodes }: AgentGraph,
  onSelect: GraphTablesProps['onSelect'],
): Column<GraphEdge>[] {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const nameOf = ({ from, kind, to }: GraphEdge) =>
    `${names.get(from) ?? ''} ${WORDS[kind]} ${names.get(to) ?? ''}`;
  return [
    {
      id: 'edge',
      head: GRAPH_TEXT.edge,
      value: nameOf,
      Shown: ({ row }) => (
        <SpanLink name={nameOf(row)} title={nameOf(row)} onOpen={() => onSelect(row.open)} />
      ),
    },
    countColumn('order', GRAPH_TEXT.order, ({ order }) => order ?? null),
    {
      id: 'count',
      head: GRAPH_TEXT.count,
      value: ({ count }) => count,
      Shown: ({ row }) => groupThousands(row.count),
    },
    errorsColumn(),
    timeColumn('time', GRAPH_TEXT.time, ({ took_ns }) => took_ns),
    countColumn('tokens', GRAPH_TEXT.tokens, ({ tokens }) => tokens, {
      about: GRAPH_TEXT.includesSubAgents,
    }),
  ];
}
