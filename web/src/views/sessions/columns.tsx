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
import { COLUMN_TEXT, tokensInAndOut } from '../../texts.ts';
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
  texts('agents', COLUMN_TEXT.agents, 80, ({ agents, services }) =>
    agents.length > 0 ? agents : services,
  ),
  texts('models', COLUMN_TEXT.models, 80, ({ models }) => models),
  texts('services', COLUMN_TEXT.services, 80, ({ services }) => services),
  texts('tags', COLUMN_TEXT.tags, 80, ({ tags }) => tags),
  texts('users', COLUMN_TEXT.users, 80, ({ users }) => users),
  {
    id: 'engine',
    name: COLUMN_TEXT.engine,
    width: '76px',
    min_px: 76,
    isNumber: false,
    Cell: ({ session }) => session.engine,
  },
  {
    id: 'started',
    name: COLUMN_TEXT.started,
    sort: 'started',
    width: '100px',
    min_px: 100,
    isNumber: true,
    Cell: Started,
  },
  {
    id: 'duration',
    name: COLUMN_TEXT.duration,
    sort: 'duration',
    width: '84px',
    min_px: 84,
    isNumber: true,
    Cell: Duration,
  },
  {
    id: 'waiting',
    name: COLUMN_TEXT.waiting,
    sort: 'waiting',
    width: '76px',
    min_px: 76,
    isNumber: true,
    Cell: WaitingTime,
  },
  { ...count('spans', COLUMN_TEXT.spans, (one) => one.span_count, { sort: 'spans' }), Cell: Spans },
  count('errors', COLUMN_TEXT.errors, (one) => one.error_count, { sort: 'errors' }),
  count('llm_calls', COLUMN_TEXT.llm_calls, (one) => one.llm_calls, {
    min_px: 84,
    sort: 'llm_calls',
  }),
  count('tool_calls', COLUMN_TEXT.tool_calls, (one) => one.tool_calls, {
    min_px: 76,
    sort: 'tool_calls',
  }),
  count('input_tokens', COLUMN_TEXT.tokensIn, (one) => one.input_tokens, {
    longName: COLUMN_TEXT.inputTokens,
    min_px: 76,
  }),
  count('output_tokens', COLUMN_TEXT.tokensOut, (one) => one.output_tokens, {
    longName: COLUMN_TEXT.outputTokens,
    min_px: 80,
  }),
  {
    ...count('tokens', COLUMN_TEXT.tokens, (one) => one.input_tokens + one.output_tokens, {
      sort: 'tokens',
    }),
    title: (one) => tokensInAndOut(one.input_tokens, one.output_tokens),
  },
  {
    id: 'cost',
    name: COLUMN_TEXT.cost,
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
const SELECT_PX = 14;
const STATUS_PX = 46;
export const TITLE_PX = 224;
const GAP_PX = 12;
const EDGE_PX = 16;
/** Key of the title among the widths of columns. */
export const TITLE = 'title';
/** Share of the list that may stay while the rest scrolls sideways. */
const MOST_FIXED = 0.7;

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

/** The pinned columns first, which stay beside the title. */
export function pinnedFirst(
  columns: readonly Column[],
  pinned: readonly string[],
): readonly Column[] {
  const isPinned = ({ id }: Column) => pinned.includes(id);
  return [...columns.filter(isPinned), ...columns.filter((one) => !isPinned(one))];
}

export interface Grid {
  /** Tracks of rows and head. */
  readonly template: string;
  readonly least_px: number;
  /**
   * Where select, status, title and the pinned columns stay, from the left edge; none if all is in
   * view, or if they leave no room to scroll the rest.
   */
  readonly lefts_px: readonly number[];
}

/** Grid of columns, the first `pinnedCount` of which stay, in a list of a width. */
export function gridOf(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>> = {},
  pinnedCount = 0,
  list_px = Number.POSITIVE_INFINITY,
): Grid {
  const chosen = (id: string, otherwise: string) =>
    widths[id] === undefined ? otherwise : `${widths[id]}px`;
  const least = [
    SELECT_PX,
    STATUS_PX,
    widths[TITLE] ?? TITLE_PX,
    ...columns.map(({ id, min_px }) => widths[id] ?? min_px),
  ];
  const lefts_px: number[] = [];
  let end_px = EDGE_PX;
  for (const px of least) {
    // Each covers half of the gaps beside it, the first one the edge.
    lefts_px.push(lefts_px.length === 0 ? 0 : end_px - GAP_PX / 2);
    end_px += px + GAP_PX;
  }
  const least_px = end_px - GAP_PX + EDGE_PX;
  const fixed = 3 + pinnedCount;
  const isFixed = least_px > list_px && (lefts_px[fixed] ?? end_px) <= list_px * MOST_FIXED;
  return {
    template: [
      `${SELECT_PX}px ${STATUS_PX}px`,
      chosen(TITLE, `minmax(${TITLE_PX}px, 2.2fr)`),
      ...columns.map(({ id, width }) => chosen(id, width)),
    ].join(' '),
    least_px,
    lefts_px: isFixed ? lefts_px.slice(0, fixed) : [],
  };
}

/** Attributes of a cell that stays at a place while others scroll sideways; undefined: it does not. */
export function fixedAt(
  left_px: number | undefined,
  className = '',
): { readonly className: string; readonly style?: { readonly left: number } } {
  if (left_px === undefined) return { className };
  return { className: `${className} ins-list__fixed`, style: { left: left_px } };
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
