/** Table of operations by kind and name: count, time, cost. */
import { useMemo } from 'react';
import type { CacheUse, Operation } from '../../api/types.ts';
import { groupThousands } from '../../model/text/format.ts';
import { SPAN_TEXT, STATISTICS_TEXT } from '../../texts.ts';
import { ActionIcon, KindIcon, kindName } from '../parts/icons.tsx';
import { Errors, Part, SpanLink } from '../parts/statistics/cells.tsx';
import { costColumn, countColumn, timeColumn } from '../parts/statistics/columns.tsx';
import { type Column, SortableTable } from '../parts/statistics/sortable-table.tsx';

interface OperationsTableProps {
  readonly operations: readonly Operation[];
  readonly cache: readonly CacheUse[];
  /** Sum of the self times. */
  readonly own_ns: number;
  readonly onOpen: (operation: Operation) => void;
  readonly onOpenError: (operation: Operation) => void;
  readonly onFind: (operation: Operation) => void;
}

const keyOf = ({ kind, name }: Operation) => `${kind} ${name}`;

export function OperationsTable(props: OperationsTableProps) {
  const { operations, cache, own_ns, onOpen, onOpenError, onFind } = props;
  const columns = useMemo((): readonly Column<Operation>[] => {
    const cached = cacheByOperation(cache);
    const most_ns = Math.max(0, ...operations.slice(0, 1).map((one) => one.own_ns));
    return [
      {
        id: 'name',
        head: STATISTICS_TEXT.operation,
        about: STATISTICS_TEXT.opensSlowest,
        value: ({ name }) => name,
        Shown: ({ row }) => (
          <span className="ins-stats__operation">
            <SpanLink
              name={row.name}
              icon={<KindIcon kind={row.kind} />}
              title={`${kindName(row.kind)} ${row.name}: ${STATISTICS_TEXT.openSlowest}`}
              onOpen={() => onOpen(row)}
            />
            <button
              type="button"
              className="ins-stats__find"
              title={STATISTICS_TEXT.find}
              aria-label={STATISTICS_TEXT.showOperation(row.name)}
              onClick={() => onFind(row)}
            >
              <ActionIcon name="search" />
            </button>
          </span>
        ),
      },
      {
        id: 'count',
        head: STATISTICS_TEXT.count,
        value: ({ count }) => count,
        Shown: ({ row }) => (
          <>
            {groupThousands(row.count)}
            {row.running > 0 && (
              <span className="ins-stats__running" title={STATISTICS_TEXT.running(row.running)}>
                {STATISTICS_TEXT.runningCount(row.running)}
              </span>
            )}
          </>
        ),
      },
      {
        id: 'errors',
        head: STATISTICS_TEXT.errors,
        about: STATISTICS_TEXT.opensFirstError,
        isOptional: true,
        value: ({ errors }) => errors,
        Shown: ({ row }) =>
          row.errors === 0 ? (
            <Errors count={0} />
          ) : (
            <button
              type="button"
              title={STATISTICS_TEXT.openFirstError}
              aria-label={STATISTICS_TEXT.errorsOf(row.errors, row.name)}
              onClick={() => onOpenError(row)}
            >
              <Errors count={row.errors} />
            </button>
          ),
      },
      timeColumn('own', SPAN_TEXT.selfTimeLabel, (row) => row.own_ns, {
        about: SPAN_TEXT.selfTimeTitle,
      }),
      {
        id: 'part',
        head: STATISTICS_TEXT.shareHead,
        about: STATISTICS_TEXT.share,
        value: (row) => row.own_ns,
        Shown: ({ row }) => <Part of={row.own_ns} whole={own_ns} most={most_ns} />,
      },
      timeColumn('total', STATISTICS_TEXT.totalHead, ({ times }) => times.total_ns, {
        about: STATISTICS_TEXT.total,
      }),
      timeColumn('mean', STATISTICS_TEXT.mean, ({ times }) => times.mean_ns),
      timeColumn('median', 'p50', ({ times }) => times.median_ns, {
        about: STATISTICS_TEXT.p50,
      }),
      timeColumn('p95', 'p95', ({ times }) => times.p95_ns, { about: STATISTICS_TEXT.p95 }),
      timeColumn('max', STATISTICS_TEXT.max, ({ times }) => times.longest_ns),
      timeColumn('waiting', STATISTICS_TEXT.waiting, ({ wait_ns }) => wait_ns, {
        about: SPAN_TEXT.waitingTitle,
        isOptional: true,
      }),
      countColumn('input', STATISTICS_TEXT.tokensIn, ({ used }) => used.input_tokens, {
        about: STATISTICS_TEXT.tokens,
      }),
      countColumn('cached', STATISTICS_TEXT.cached, (row) => cached.get(keyOf(row))?.read ?? 0),
      countColumn('output', STATISTICS_TEXT.tokensOut, ({ used }) => used.output_tokens),
      countColumn(
        'reasoning',
        STATISTICS_TEXT.reasoning,
        (row) => cached.get(keyOf(row))?.reasoning ?? 0,
      ),
      costColumn('cost', STATISTICS_TEXT.cost, ({ used }) => used.cost_usd),
    ];
  }, [operations, cache, own_ns, onOpen, onOpenError, onFind]);
  return (
    <SortableTable
      label={STATISTICS_TEXT.operations}
      rows={operations}
      keyOf={keyOf}
      columns={columns}
      first={operations.some((one) => one.own_ns > 0) ? 'own' : 'count'}
    />
  );
}

function cacheByOperation(
  cache: readonly CacheUse[],
): Map<string, { read: number; reasoning: number }> {
  const found = new Map<string, { read: number; reasoning: number }>();
  for (const { kind, name, cache_read_tokens, reasoning_tokens } of cache) {
    const key = `${kind} ${name}`;
    const sum = found.get(key) ?? { read: 0, reasoning: 0 };
    found.set(key, {
      read: sum.read + (cache_read_tokens ?? 0),
      reasoning: sum.reasoning + (reasoning_tokens ?? 0),
    });
  }
  return found;
}
