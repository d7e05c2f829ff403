/** What each model, tool or agent took and cost, with and without what is below it. */
import { useMemo } from 'react';
import type { RollUp, SpanKind } from '../../api/types.ts';
import { groupThousands } from '../../model/format.ts';
import { tokensOf } from '../../model/statistics.ts';
import { KindIcon } from '../icons.tsx';
import { Cost, Count, Errors, SpanLink, Took } from './cells.tsx';
import { type Column, SortableTable } from './sortable-table.tsx';

interface RollUpTableProps {
  readonly of: 'models' | 'tools' | 'agents';
  readonly rows: readonly RollUp[];
  readonly onOpen: (row: RollUp) => void;
}

const HEADS = {
  models: { name: 'Model', kind: 'llm', nameless: 'no model named', count: 'Calls' },
  tools: { name: 'Tool', kind: 'tool', nameless: '(no name)', count: 'Calls' },
  agents: { name: 'Agent', kind: 'agent', nameless: '(no name)', count: 'Runs' },
} as const satisfies Record<
  RollUpTableProps['of'],
  { name: string; kind: SpanKind; nameless: string; count: string }
>;

const keyOf = ({ name }: RollUp) => name;

export function RollUpTable({ of, rows, onOpen }: RollUpTableProps) {
  const columns = useMemo((): readonly Column<RollUp>[] => {
    const head = HEADS[of];
    return [
      {
        id: 'name',
        head: head.name,
        about: 'Opens the one that took longest',
        value: ({ name }) => name,
        Shown: ({ row }) => (
          <SpanLink
            name={row.name || head.nameless}
            icon={<KindIcon kind={head.kind} />}
            title={`${row.name || head.nameless}: open the longest`}
            onOpen={() => onOpen(row)}
          />
        ),
      },
      {
        id: 'count',
        head: head.count,
        value: ({ count }) => count,
        Shown: ({ row }) => (
          <>
            {groupThousands(row.count)}
            {row.running > 0 && <span className="ins-stats__running">{row.running} running</span>}
          </>
        ),
      },
      {
        id: 'errors',
        head: 'Errors',
        isOptional: true,
        value: ({ errors }) => errors,
        Shown: ({ row }) => <Errors count={row.errors} />,
      },
      ...callColumns(of),
      {
        id: 'total',
        head: 'Time',
        about: 'In all, without waiting; what ran side by side counts twice',
        value: ({ times }) => times.total_ns,
        Shown: ({ row }) => <Took ns={row.times.total_ns} />,
      },
      {
        id: 'p95',
        head: 'p95',
        about: '95 of 100 took no longer',
        value: ({ times }) => times.p95_ns,
        Shown: ({ row }) => <Took ns={row.times.p95_ns} />,
      },
      {
        id: 'waiting',
        head: 'Waiting',
        about: 'For a person; no part of the times',
        isOptional: true,
        value: ({ wait_ns }) => wait_ns,
        Shown: ({ row }) => <Took ns={row.wait_ns} />,
      },
      ...usageColumns(of),
    ];
  }, [of, onOpen]);
  return <SortableTable label={`${HEADS[of].name}s`} rows={rows} keyOf={keyOf} columns={columns} />;
}

function callColumns(of: RollUpTableProps['of']): Column<RollUp>[] {
  if (of !== 'agents') return [];
  return [
    {
      id: 'model_calls',
      head: 'Model calls',
      about: 'Of its own, without those of its sub-agents',
      isOptional: true,
      value: ({ model_calls }) => model_calls,
      Shown: ({ row }) => <Count of={row.model_calls} />,
    },
    {
      id: 'tool_calls',
      head: 'Tool calls',
      about: 'Of its own, without those of its sub-agents',
      isOptional: true,
      value: ({ tool_calls }) => tool_calls,
      Shown: ({ row }) => <Count of={row.tool_calls} />,
    },
  ];
}

/** A model has nothing below it; of tools, what is below them is what they cost. */
function usageColumns(of: RollUpTableProps['of']): Column<RollUp>[] {
  const own: Column<RollUp>[] = [
    {
      id: 'input',
      head: 'Tokens in',
      isOptional: true,
      value: ({ used }) => used.input_tokens,
      Shown: ({ row }) => <Count of={row.used.input_tokens} />,
    },
    {
      id: 'output',
      head: 'Tokens out',
      isOptional: true,
      value: ({ used }) => used.output_tokens,
      Shown: ({ row }) => <Count of={row.used.output_tokens} />,
    },
    {
      id: 'cost',
      head: 'Cost',
      isOptional: true,
      value: ({ used }) => used.cost_usd,
      Shown: ({ row }) => <Cost usd={row.used.cost_usd} />,
    },
  ];
  if (of === 'models') return own;
  const inAll = (what: string, about: string): Column<RollUp>[] => [
    {
      id: 'all',
      head: `Tokens ${what}`,
      about,
      isOptional: true,
      value: (row) => tokensOf(row.used_in_all),
      Shown: ({ row }) => <Count of={tokensOf(row.used_in_all)} />,
    },
    {
      id: 'all_cost',
      head: `Cost ${what}`,
      about,
      isOptional: true,
      value: (row) => row.used_in_all.cost_usd,
      Shown: ({ row }) => <Cost usd={row.used_in_all.cost_usd} />,
    },
  ];
  return of === 'tools'
    ? inAll('below', 'Of agents and models that its calls led to')
    : [...own, ...inAll('with sub-agents', 'Of it and of all agents below it')];
}
