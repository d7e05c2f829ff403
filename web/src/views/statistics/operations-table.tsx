/** Each kind and name of spans: how often, how long, how dear. */
import { useMemo } from 'react';
import type { CacheUse, Operation } from '../../api/types.ts';
import { groupThousands } from '../../model/format.ts';
import { ActionIcon, KindIcon, kindName } from '../icons.tsx';
import { Cost, Count, Errors, Part, SpanLink, Took } from './cells.tsx';
import { type Column, SortableTable } from './sortable-table.tsx';

interface OperationsTableProps {
  readonly operations: readonly Operation[];
  readonly cache: readonly CacheUse[];
  /** Of all of them. */
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
        head: 'Operation',
        about: 'Kind and name; opens the one that took longest',
        value: ({ name }) => name,
        Shown: ({ row }) => (
          <span className="ins-stats__operation">
            <SpanLink
              name={row.name}
              icon={<KindIcon kind={row.kind} />}
              title={`${kindName(row.kind)} ${row.name}: open the longest`}
              onOpen={() => onOpen(row)}
            />
            <button
              type="button"
              className="ins-stats__find"
              title="Show in the waterfall"
              aria-label={`Show ${row.name} in the waterfall`}
              onClick={() => onFind(row)}
            >
              <ActionIcon name="search" />
            </button>
          </span>
        ),
      },
      {
        id: 'count',
        head: 'Count',
        value: ({ count }) => count,
        Shown: ({ row }) => (
          <>
            {groupThousands(row.count)}
            {row.running > 0 && (
              <span className="ins-stats__running" title={`${row.running} still running`}>
                {row.running} running
              </span>
            )}
          </>
        ),
      },
      {
        id: 'errors',
        head: 'Errors',
        about: 'Opens the first',
        isOptional: true,
        value: ({ errors }) => errors,
        Shown: ({ row }) =>
          row.errors === 0 ? (
            <Errors count={0} />
          ) : (
            <button
              type="button"
              title="Open the first error"
              aria-label={`${row.errors} errors of ${row.name}: open the first`}
              onClick={() => onOpenError(row)}
            >
              <Errors count={row.errors} />
            </button>
          ),
      },
      {
        id: 'own',
        head: 'In itself',
        about: 'Time in it and in nothing below it, nor waiting',
        value: (row) => row.own_ns,
        Shown: ({ row }) => <Took ns={row.own_ns} />,
      },
      {
        id: 'part',
        head: 'Share',
        about: 'Of the time in itself of everything',
        value: (row) => row.own_ns,
        Shown: ({ row }) => <Part of={row.own_ns} whole={own_ns} most={most_ns} />,
      },
      {
        id: 'total',
        head: 'Total',
        about: 'With what is below it, without waiting; what ran side by side counts twice',
        value: ({ times }) => times.total_ns,
        Shown: ({ row }) => <Took ns={row.times.total_ns} />,
      },
      {
        id: 'mean',
        head: 'Mean',
        value: ({ times }) => times.mean_ns,
        Shown: ({ row }) => <Took ns={row.times.mean_ns} />,
      },
      {
        id: 'median',
        head: 'p50',
        about: 'Half of them took no longer',
        value: ({ times }) => times.median_ns,
        Shown: ({ row }) => <Took ns={row.times.median_ns} />,
      },
      {
        id: 'p95',
        head: 'p95',
        about: '95 of 100 took no longer',
        value: ({ times }) => times.p95_ns,
        Shown: ({ row }) => <Took ns={row.times.p95_ns} />,
      },
      {
        id: 'max',
        head: 'Max',
        value: ({ times }) => times.longest_ns,
        Shown: ({ row }) => <Took ns={row.times.longest_ns} />,
      },
      {
        id: 'waiting',
        head: 'Waiting',
        about: 'For a person; no part of the times',
        isOptional: true,
        value: ({ wait_ns }) => wait_ns,
        Shown: ({ row }) => <Took ns={row.wait_ns} />,
      },
      {
        id: 'input',
        head: 'Tokens in',
        about: 'Where nothing below says that it used any',
        isOptional: true,
        value: ({ used }) => used.input_tokens,
        Shown: ({ row }) => <Count of={row.used.input_tokens} />,
      },
      {
        id: 'cached',
        head: 'of it cached',
        isOptional: true,
        value: (row) => cached.get(keyOf(row))?.read ?? 0,
        Shown: ({ row }) => <Count of={cached.get(keyOf(row))?.read ?? 0} />,
      },
      {
        id: 'output',
        head: 'Tokens out',
        isOptional: true,
        value: ({ used }) => used.output_tokens,
        Shown: ({ row }) => <Count of={row.used.output_tokens} />,
      },
      {
        id: 'reasoning',
        head: 'of it thinking',
        isOptional: true,
        value: (row) => cached.get(keyOf(row))?.reasoning ?? 0,
        Shown: ({ row }) => <Count of={cached.get(keyOf(row))?.reasoning ?? 0} />,
      },
      {
        id: 'cost',
        head: 'Cost',
        isOptional: true,
        value: ({ used }) => used.cost_usd,
        Shown: ({ row }) => <Cost usd={row.used.cost_usd} />,
      },
    ];
  }, [operations, cache, own_ns, onOpen, onOpenError, onFind]);
  return (
    <SortableTable
      label="Operations"
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
