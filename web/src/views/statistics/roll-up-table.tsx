/** Table of models, tools or agents: time and cost, with and without descendants. */
import { useMemo } from 'react';
import type { RollUp, SpanKind } from '../../api/types.ts';
import { groupThousands } from '../../model/text/format.ts';
import { PARTS_TEXT, SPAN_TEXT, STATISTICS_TEXT } from '../../texts.ts';
import { KindIcon } from '../parts/icons.tsx';
import { SpanLink } from '../parts/statistics/cells.tsx';
import { costColumn, countColumn, errorsColumn, timeColumn } from '../parts/statistics/columns.tsx';
import { type Column, SortableTable } from '../parts/statistics/sortable-table.tsx';

interface RollUpTableProps {
  readonly of: 'models' | 'tools' | 'agents';
  readonly rows: readonly RollUp[];
  readonly onOpen: (row: RollUp) => void;
}

const HEADS = {
  models: {
    name: STATISTICS_TEXT.model,
    kind: 'llm',
    nameless: STATISTICS_TEXT.noModel,
    count: STATISTICS_TEXT.calls,
  },
  tools: {
    name: STATISTICS_TEXT.tool,
    kind: 'tool',
    nameless: PARTS_TEXT.noName,
    count: STATISTICS_TEXT.calls,
  },
  agents: {
    name: STATISTICS_TEXT.agent,
    kind: 'agent',
    nameless: PARTS_TEXT.noName,
    count: STATISTICS_TEXT.runs,
  },
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
        about: STATISTICS_TEXT.opensSlowest,
        value: ({ name }) => name,
        Shown: ({ row }) => (
          <SpanLink
            name={row.name || head.nameless}
            icon={<KindIcon kind={head.kind} />}
            title={`${row.name || head.nameless}: ${STATISTICS_TEXT.openSlowest}`}
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
            {row.running > 0 && (
              <span className="ins-stats__running">
                {STATISTICS_TEXT.runningCount(row.running)}
              </span>
            )}
          </>
        ),
      },
      errorsColumn(),
      ...callColumns(of),
      timeColumn('total', STATISTICS_TEXT.time, ({ times }) => times.total_ns, {
        about: STATISTICS_TEXT.total,
      }),
      timeColumn('p95', 'p95', ({ times }) => times.p95_ns, { about: STATISTICS_TEXT.p95 }),
      timeColumn('waiting', STATISTICS_TEXT.waiting, ({ wait_ns }) => wait_ns, {
        about: SPAN_TEXT.waitingTitle,
        isOptional: true,
      }),
      ...usageColumns(of),
    ];
  }, [of, onOpen]);
  return <SortableTable label={`${HEADS[of].name}s`} rows={rows} keyOf={keyOf} columns={columns} />;
}

function callColumns(of: RollUpTableProps['of']): Column<RollUp>[] {
  if (of !== 'agents') return [];
  return [
    countColumn('model_calls', STATISTICS_TEXT.llmCalls, ({ model_calls }) => model_calls, {
      about: STATISTICS_TEXT.ownCalls,
    }),
    countColumn('tool_calls', STATISTICS_TEXT.toolCalls, ({ tool_calls }) => tool_calls, {
      about: STATISTICS_TEXT.ownCalls,
    }),
  ];
}

/** Columns of usage: a model has no descendants; a tool's usage is that of its descendants. */
function usageColumns(of: RollUpTableProps['of']): Column<RollUp>[] {
  const own: Column<RollUp>[] = [
    countColumn('input', STATISTICS_TEXT.tokensIn, ({ used }) => used.input_tokens),
    countColumn('output', STATISTICS_TEXT.tokensOut, ({ used }) => used.output_tokens),
    costColumn('cost', STATISTICS_TEXT.cost, ({ used }) => used.cost_usd),
  ];
  if (of === 'models') return own;
  const inAll = (what: string, about: string): Column<RollUp>[] => [
    countColumn(
      'all',
      STATISTICS_TEXT.tokensOf(what),
      ({ used_in_all: used }) => used.input_tokens + used.output_tokens,
      { about },
    ),
    costColumn('all_cost', STATISTICS_TEXT.costOf(what), (row) => row.used_in_all.cost_usd, {
      about,
    }),
  ];
  return of === 'tools'
    ? inAll('below', STATISTICS_TEXT.toolUsage)
    : [...own, ...inAll(STATISTICS_TEXT.withSubAgents, SPAN_TEXT.withSubAgents)];
}
