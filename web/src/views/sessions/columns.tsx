/** Columns of the session list: cell, width, sort key. */
import type { ReactNode } from 'react';
import type { Session } from '../../api/types.ts';
import { type SortKey, waited_ms } from '../../model/sessions/session-order.ts';
import {
  formatCost,
  formatCount,
  formatDuration,
  formatRunning,
  groupThousands,
} from '../../model/text/format.ts';
import { seenText } from '../../model/text/hidden-characters.ts';
import { useInspector, useNow } from '../parts/context.ts';
import { Duration } from '../parts/session-times.tsx';
import { When } from '../parts/times.tsx';

export interface Column {
  readonly id: string;
  /** Text of the column's head. */
  readonly name: string;
  /** Longer name for the menu of columns. */
  readonly longName?: string;
  readonly sort?: SortKey;
  /** Track of the grid. */
  readonly width: string;
  readonly min_px: number;
  readonly isNumber: boolean;
  readonly title?: (session: Session) => string;
  readonly Cell: (props: { readonly session: Session }) => ReactNode;
}

function texts(
  id: 'agents' | 'models' | 'services' | 'tags' | 'users',
  name: string,
  min_px: number,
  of: (session: Session) => readonly string[],
): Column {
  return {
    id,
    name,
    width: `minmax(${min_px}px, 1fr)`,
    min_px,
    isNumber: false,
    title: (session) => of(session).join(', '),
    Cell: ({ session }) => seenText(of(session).join(', ')),
  };
}

function count(
  id: string,
  name: string,
  of: (session: Session) => number,
  more: { longName?: string; sort?: SortKey; min_px?: number } = {},
): Column {
  const min_px = more.min_px ?? 72;
  return {
    id,
    name,
    width: `${min_px}px`,
    min_px,
    isNumber: true,
    title: (session) => `${groupThousands(of(session))} ${(more.longName ?? name).toLowerCase()}`,
    Cell: ({ session }) => (of(session) > 0 ? formatCount(of(session)) : '–'),
    ...(more.longName === undefined ? {} : { longName: more.longName }),
    ...(more.sort === undefined ? {} : { sort: more.sort }),
  };
}

/** All columns, in order. */
export const COLUMNS: readonly Column[] = [
  texts('agents', 'Agents', 80, ({ agents, services }) => (agents.length > 0 ? agents : services)),
  texts('models', 'Models', 80, ({ models }) => models),
  texts('services', 'Services', 80, ({ services }) => services),
  texts('tags', 'Tags', 80, ({ tags }) => tags),
  texts('users', 'User', 80, ({ users }) => users),
  {
    id: 'engine',
    name: 'Engine',
    width: '76px',
    min_px: 76,
    isNumber: false,
    Cell: ({ session }) => session.engine,
  },
  {
    id: 'started',
    name: 'Started',
    sort: 'started',
    width: '100px',
    min_px: 100,
    isNumber: true,
    Cell: Started,
  },
  {
    id: 'duration',
    name: 'Duration',
    sort: 'duration',
    width: '84px',
    min_px: 84,
    isNumber: true,
    Cell: Duration,
  },
  {
    id: 'waiting',
    name: 'Waited',
    longName: 'Waiting time',
    sort: 'waiting',
    width: '76px',
    min_px: 76,
    isNumber: true,
    Cell: WaitingTime,
  },
  { ...count('spans', 'Spans', (one) => one.span_count, { sort: 'spans' }), Cell: Spans },
  count('errors', 'Errors', (one) => one.error_count, { sort: 'errors' }),
  count('llm_calls', 'LLM calls', (one) => one.llm_calls, {
    min_px: 84,
    sort: 'llm_calls',
  }),
  count('tool_calls', 'Tool calls', (one) => one.tool_calls, {
    min_px: 76,
    sort: 'tool_calls',
  }),
  count('input_tokens', 'Tokens in', (one) => one.input_tokens, {
    longName: 'Input tokens',
    min_px: 76,
  }),
  count('output_tokens', 'Tokens out', (one) => one.output_tokens, {
    longName: 'Output tokens',
    min_px: 80,
  }),
  {
    ...count('tokens', 'Tokens', (one) => one.input_tokens + one.output_tokens, {
      sort: 'tokens',
    }),
    title: (one) =>
      `${groupThousands(one.input_tokens)} in, ${groupThousands(one.output_tokens)} out`,
  },
  {
    id: 'cost',
    name: 'Cost',
    sort: 'cost',
    width: '76px',
    min_px: 76,
    isNumber: true,
    Cell: ({ session }) =>
      session.cost_usd === null ? (
        <span className="ins-list__none-known">–</span>
      ) : (
        formatCost(session.cost_usd)
      ),
  },
];

const FIRST_COLUMNS: readonly string[] = [
  'agents',
  'models',
  'started',
  'duration',
  'spans',
  'tokens',
  'cost',
];
/** Columns of the two-line rows on a narrow page, whatever was chosen. */
export const NARROW_COLUMNS: readonly Column[] = COLUMNS.filter(({ id }) =>
  ['agents', 'duration', 'tokens', 'cost'].includes(id),
);
/** Width up to which a column is left out unless chosen, so that nothing is clipped. */
const SPARE_UP_TO_PX: ReadonlyMap<string, number> = new Map([
  ['users', 1240],
  ['models', 1100],
  ['spans', 900],
  ['agents', 820],
]);

/** Tracks of selection, status and title. */
const FIXED = '14px 46px minmax(200px, 2.2fr)';
const FIXED_PX = 14 + 46 + 200;
const GAP_PX = 12;
const SIDE_PX = 32;

/**
 * Columns by id: those in the address, else the chosen ones, else the default ones, with the user
 * where any session has one.
 */
export function chosenColumns(
  inAddress: string | null,
  chosen: readonly string[] | null,
  width_px: number,
  hasUsers: boolean,
): readonly Column[] {
  const wanted = inAddress === null ? chosen : inAddress.split(',');
  const isOwn = wanted !== null;
  const first = hasUsers ? [...FIRST_COLUMNS, 'users'] : FIRST_COLUMNS;
  return COLUMNS.filter(
    ({ id }) =>
      (wanted ?? first).includes(id) && (isOwn || width_px > (SPARE_UP_TO_PX.get(id) ?? 0)),
  );
}

/** Grid of rows and head: its template and minimum width. */
export function gridOf(columns: readonly Column[]): { template: string; least_px: number } {
  const least_px = columns.reduce((sum, { min_px }) => sum + min_px, FIXED_PX);
  return {
    template: [FIXED, ...columns.map(({ width }) => width)].join(' '),
    least_px: least_px + GAP_PX * (columns.length + 2) + SIDE_PX,
  };
}

function Started({ session }: { readonly session: Session }) {
  return <When at={session.started_at} />;
}

function WaitingTime({ session }: { readonly session: Session }) {
  const { clock } = useInspector();
  const isWaiting = session.waiting_since !== null;
  useNow(isWaiting ? 1000 : undefined);
  const waited = waited_ms(session, clock.now_ms());
  if (isWaiting) return formatRunning(waited * 1e6);
  return waited > 0 ? formatDuration(waited * 1e6) : '–';
}

function Spans({ session }: { readonly session: Session }) {
  return groupThousands(session.span_count);
}
