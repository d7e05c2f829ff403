/** The MCP log: the messages between clients and servers, in the agent's own trace. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { McpCall } from '../../model/mcp/mcp-calls.ts';
import {
  callerOf,
  fits,
  flatRows,
  type LogRow,
  type McpFilter,
  nestedRows,
} from '../../model/mcp/mcp-rows.ts';
import { serversOf } from '../../model/mcp/mcp-servers.ts';
import { plural } from '../../model/text/format.ts';
import type { Trace } from '../../state/trace.ts';
import { MCP_TEXT, PALETTE_TEXT, showAll } from '../../texts.ts';
import { useCell, useInspector, useRoute } from '../parts/context.ts';
import { ActionIcon, KindIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { NewPill } from '../parts/new-pill.tsx';
import { useRowHeight } from '../parts/row-height.ts';
import { useRangeWith } from '../parts/rows.ts';
import { useMcpLog } from '../parts/use-mcp-log.ts';
import { VisibleText } from '../parts/visible-text.tsx';
import { useWaiting } from '../parts/waiting.ts';
import { McpDetail } from './mcp-detail.tsx';
import { McpEmpty, McpLoading } from './mcp-empty.tsx';
import { McpRow } from './mcp-row.tsx';
import { McpServers } from './mcp-servers.tsx';
import { McpTools } from './mcp-tools.tsx';
import { useLogKeys } from './use-log-keys.ts';
import { useLogScroll } from './use-log-scroll.ts';
import './mcp.css';

const ROW_PX = 26;
const DETAIL_PX = 260;
const OVERSCAN = 10;

interface McpViewProps {
  readonly trace: Trace;
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
}

/** A row of the log, or the details of an opened one. */
type Line =
  | { readonly key: string; readonly row: LogRow }
  | { readonly key: string; readonly detail: McpCall };

export function McpView({ trace, selected, onSelect }: McpViewProps) {
  const { router } = useInspector();
  const { calls, state } = useMcpLog(trace);
  const { filter, isNested } = useFilter();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const servers = useMemo(() => serversOf(calls), [calls]);
  const shown = useMemo(() => calls.filter((call) => fits(call, filter)), [calls, filter]);
  const structure = useCell(trace.structure);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure says who called
  const rows = useMemo<readonly LogRow[]>(
    () =>
      isNested
        ? nestedRows(
            shown,
            (call) => callerOf(call, (key) => trace.spans.get(key)),
            (key) => folded.has(key),
          )
        : flatRows(shown),
    [isNested, shown, folded, trace, structure],
  );
  const lines = useMemo(() => linesOf(rows, opened), [rows, opened]);
  const field = useRef<HTMLInputElement>(null);
  const toggle = useCallback((key: string) => {
    const flipped = (before: ReadonlySet<string>) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    };
    if (key.startsWith(GROUP)) setFolded(flipped);
    else setOpened(flipped);
  }, []);
  const list = useList({ trace, lines, rows, opened, toggle, selected, onSelect, field, isNested });
  const change = useCallback(
    (values: Readonly<Record<string, string | undefined>>) => router.adjust(values),
    [router],
  );

  if (calls.length === 0) {
    if (state.kind === 'failed')
      return (
        <p role="alert" className="ins-mcp-none">
          {state.message}
        </p>
      );
    return state.kind === 'loading' ? <McpLoading /> : <McpEmpty />;
  }
  return (
    <section className="ins-mcp" aria-label={MCP_TEXT.log}>
      <McpServers
        servers={servers}
        chosen={filter.server}
        onChoose={(server) => change({ server })}
      />
      <McpTools
        calls={calls}
        shown={shown.length}
        filter={filter}
        isNested={isNested}
        field={field}
        onChange={change}
        onNext={list.next}
      />
      {list.element(servers.length > 1)}
      {rows.length === 0 && (
        <p className="ins-mcp-none">
          {PALETTE_TEXT.none}.{' '}
          <button
            type="button"
            className="ins-link"
            onClick={() => change({ find: '', method: '', errors: '', server: '', notes: '' })}
          >
            {showAll(plural(calls.length, 'message'))}
          </button>
        </p>
      )}
    </section>
  );
}

const GROUP = 'group ';

function useFilter(): { filter: McpFilter; isNested: boolean } {
  const { query } = useRoute();
  const server = query.get('server') ?? undefined;
  const method = query.get('method') ?? undefined;
  const isErrorsOnly = query.get('errors') === '1';
  const hasNotifications = query.get('notes') !== '0';
  const find = query.get('find') ?? '';
  const filter = useMemo(
    () => ({ server, method, isErrorsOnly, hasNotifications, find }),
    [server, method, isErrorsOnly, hasNotifications, find],
  );
  return { filter, isNested: query.get('order') !== 'time' };
}

function linesOf(rows: readonly LogRow[], opened: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  for (const row of rows) {
    lines.push({ key: row.key, row });
    if (row.kind === 'call' && opened.has(row.key)) {
      lines.push({ key: `${row.key} detail`, detail: row.call });
    }
  }
  return lines;
}

interface ListParts {
  readonly trace: Trace;
  readonly lines: readonly Line[];
  readonly rows: readonly LogRow[];
  readonly opened: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
  readonly field: React.RefObject<HTMLInputElement | null>;
  readonly isNested: boolean;
}

function useList(parts: ListParts) {
  const { trace, lines, rows, opened, toggle, selected, onSelect } = parts;
  const row_px = useRowHeight(ROW_PX);
  const waiting = useWaiting(trace);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  // A span that is chosen elsewhere is current here, too.
  const chosen = rows.find((row) => row.kind === 'call' && row.call.spanKey === selected);
  const {
    list,
    key: cursor,
    at,
    goTo,
  } = useListFocus(scroller, {
    name: 'messages',
    ...rowsOf(useMemo(() => rows.map(({ key }) => key), [rows])),
    selected: selected === undefined ? undefined : chosen?.key,
    page: Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / row_px) - 1),
    tree: {
      isOpen: (place) => {
        const row = rows[place];
        return row?.kind === 'group' ? !row.isFolded : opened.has(row?.key ?? '');
      },
      fold: (place) => toggle(rows[place]?.key ?? ''),
      parentOf: (place) => {
        const above = rows.slice(0, place).findLastIndex(({ kind }) => kind === 'group');
        return above < 0 ? undefined : above;
      },
    },
  });
  const keys = useMemo(() => lines.map(({ key }) => key), [lines]);
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count: lines.length,
    getScrollElement: () => scroller,
    estimateSize: (at) => {
      const line = lines[at];
      return line !== undefined && 'detail' in line ? DETAIL_PX : row_px;
    },
    getItemKey: (at) => keys[at] ?? at,
    overscan: OVERSCAN,
    rangeExtractor: useRangeWith(keys.indexOf(cursor ?? '')),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height
  useEffect(() => virtualizer.measure(), [row_px, virtualizer]);
  const scroll = useLogScroll(scroller, virtualizer, keys);
  const current = rows[at];
  useLogKeys({ ...parts, cursor: current, goTo });

  const items = virtualizer.getVirtualItems();
  const next = () => {
    const first = rows.find((row) => row.kind === 'call');
    if (first !== undefined) goTo(first.key);
  };

  const element = (hasServer: boolean) => (
    <div className="ins-mcp-log">
      <div
        ref={setScroller}
        className="ins-mcp-scroller"
        {...list}
        style={{ '--row': `${row_px}px` } as object}
      >
        <div
          className="ins-mcp-lines"
          role="list"
          aria-label={MCP_TEXT.messages}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {items.map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            return (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                role="listitem"
                aria-setsize={lines.length}
                aria-posinset={item.index + 1}
                className="ins-mcp-line"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {'detail' in line ? (
                  <McpDetail sessionId={trace.sessionId} call={line.detail} onOpenSpan={onSelect} />
                ) : line.row.kind === 'group' ? (
                  <Group row={line.row} isCurrent={cursor === line.key} onToggle={toggle} />
                ) : (
                  <McpRow
                    call={line.row.call}
                    depth={line.row.depth}
                    trace={trace}
                    isOpen={opened.has(line.key)}
                    isSelected={selected !== undefined && line.row.call.spanKey === selected}
                    isWaiting={
                      line.row.call.spanKey !== undefined && waiting.has(line.row.call.spanKey)
                    }
                    isCurrent={cursor === line.key}
                    hasServer={hasServer}
                    onToggle={toggle}
                    onOpen={onSelect}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {scroll.count > 0 && (
        <NewPill count={scroll.count} direction="down" onClick={scroll.follow} />
      )}
    </div>
  );
  return { element, next };
}

interface GroupProps {
  readonly row: Extract<LogRow, { kind: 'group' }>;
  readonly isCurrent: boolean;
  readonly onToggle: (key: string) => void;
}

function Group({ row, isCurrent, onToggle }: GroupProps) {
  return (
    <button
      type="button"
      data-row={row.key}
      data-focus=""
      className="ins-mcp-group"
      aria-expanded={!row.isFolded}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onToggle(row.key)}
    >
      <span className={`ins-mcp-row__caret${row.isFolded ? '' : ' ins-mcp-row__caret--open'}`}>
        <ActionIcon name="caret" />
      </span>
      {row.span === undefined ? (
        <span>{MCP_TEXT.noAgent}</span>
      ) : (
        <>
          <KindIcon kind={row.span.kind} />
          <VisibleText text={row.span.name} />
        </>
      )}
      <span className="ins-mcp-group__count">{plural(row.calls, 'call')}</span>
      {row.errors > 0 && (
        <span className="ins-mcp-server__errors">{plural(row.errors, 'error')}</span>
      )}
    </button>
  );
}
