/** Table of what sessions used: a row a user, tag, model or day. */

import { useMemo } from 'react';
import type { SessionUsage, UsageGroup, UsageTotal } from '../../api/types.ts';
import { costText, filterOfGroup, shareOf } from '../../model/sessions/usage-groups.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { filteredPath } from '../../state/route.ts';
import { USAGE_TEXT } from '../../texts.ts';
import { useInspector, useRoute } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { Part } from '../parts/statistics/cells.tsx';
import { countColumn } from '../parts/statistics/columns.tsx';
import { type Column, SortableTable } from '../parts/statistics/sortable-table.tsx';
import type { Question } from './use-usage.ts';

interface UsageTableProps {
  readonly question: Question;
  readonly usage: SessionUsage;
  /** Whether what counts most comes first, because not all columns are in view. */
  readonly isNarrow: boolean;
}

/** A group; the total has no name. */
type Row = UsageTotal & { readonly name?: string };

const NARROW_ORDER = ['name', 'cost', 'uncosted', 'input', 'output'];
const keyOf = ({ name }: Row) => `=${name}`;

export function UsageTable({ question, usage, isNarrow }: UsageTableProps) {
  const { router } = useInspector();
  const sort = sortOf(useRoute().query.get('sort'));
  const columns = useMemo(() => {
    const all = columnsOf(question, usage);
    if (!isNarrow) return all;
    const first = NARROW_ORDER.flatMap((id) => all.filter((one) => one.id === id));
    return [...first, ...all.filter((one) => !first.includes(one))];
  }, [question, usage, isNarrow]);
  return (
    <SortableTable<Row>
      key={question.by}
      label={USAGE_TEXT.usageBy(question.by)}
      rows={usage.groups}
      keyOf={keyOf}
      columns={columns}
      sort={sort}
      onSort={({ by, isUp }) => router.adjust({ sort: by && `${isUp ? '' : '-'}${by}` })}
      total={usage.groups.length > 1 ? usage.total : undefined}
    />
  );
}

/** Sort of an address, `-cost`: descending; without one the order is the service's. */
function sortOf(text: string | null) {
  return { by: text?.replace(/^-/, ''), isUp: text !== null && !text.startsWith('-') };
}

function columnsOf(question: Question, { total, groups }: SessionUsage): readonly Column<Row>[] {
  const share = shareOf(total);
  const whole = share.value(total);
  const most = Math.max(0, ...groups.map(share.value));
  const ofModel: readonly string[] = question.by === 'model' ? ['tools'] : [];
  const columns: readonly Column<Row>[] = [
    {
      id: 'name',
      head:
        question.by === 'day'
          ? USAGE_TEXT.day
          : `${question.by.charAt(0).toUpperCase()}${question.by.slice(1)}`,
      about: USAGE_TEXT.opensSessions,
      value: ({ name }) => name ?? null,
      Shown: ({ row }) =>
        row.name === undefined ? (
          USAGE_TEXT.allSessions
        ) : (
          <Name question={question} row={{ ...row, name: row.name }} />
        ),
    },
    countColumn('sessions', USAGE_TEXT.sessions, (row) => row.session_count, { isOptional: false }),
    countColumn('calls', USAGE_TEXT.llmCalls, (row) => row.llm_calls, { isOptional: false }),
    countColumn('tools', USAGE_TEXT.toolCalls, (row) => row.tool_calls),
    countColumn('input', USAGE_TEXT.tokensIn, (row) => row.input_tokens, { isOptional: false }),
    countColumn('output', USAGE_TEXT.tokensOut, (row) => row.output_tokens, { isOptional: false }),
    countColumn('uncosted', USAGE_TEXT.noCost, (row) => row.uncosted_calls, {
      about: USAGE_TEXT.noCostTitle,
    }),
    {
      id: 'cost',
      head: USAGE_TEXT.cost,
      about: USAGE_TEXT.costTitle,
      value: ({ cost_usd }) => cost_usd,
      Shown: Cost,
    },
    {
      id: 'share',
      head: USAGE_TEXT.shareHead(share.of),
      about: share.of === 'cost' ? USAGE_TEXT.shareOfCost : USAGE_TEXT.shareOfTokens,
      value: share.value,
      Shown: ({ row }) => row !== total && <Part of={share.value(row)} whole={whole} most={most} />,
    },
  ];
  return columns.filter(({ id }) => !ofModel.includes(id));
}

interface NameProps {
  readonly question: Question;
  readonly row: UsageGroup;
}

function Name({ question, row: { name, session_count } }: NameProps) {
  const { clock } = useInspector();
  const to = filteredPath('sessions', filterOfGroup(question.by, name, question, clock.now_ms()));
  const isUnnamed = name === '';
  return (
    <Link
      className={`ins-stats__link ins-used__name${isUnnamed ? ' ins-used__name--none' : ''}`}
      to={to}
      title={USAGE_TEXT.showCount(session_count)}
    >
      <span>{isUnnamed ? USAGE_TEXT.without(question.by) : plainLine(name, 200)}</span>
    </Link>
  );
}

function Cost({ row }: { readonly row: Row }) {
  const unknown = row.uncosted_calls > 0 ? 'unknown' : '–';
  return costText(row) ?? <span className="ins-used__unknown">{unknown}</span>;
}
