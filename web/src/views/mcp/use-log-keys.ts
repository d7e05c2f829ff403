/** Keyboard of the MCP log: arrows move between lines, the rest are actions of the session page. */
import { type KeyboardEvent, type RefObject, useMemo } from 'react';
import { isFault, type LogRow } from '../../model/mcp/mcp-rows.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';

interface LogKeys {
  readonly trace: Trace;
  readonly rows: readonly LogRow[];
  readonly cursor: LogRow | undefined;
  readonly opened: ReadonlySet<string>;
  readonly isNested: boolean;
  /** Number of rows in view. */
  readonly page: number;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly toggle: (key: string) => void;
  readonly goTo: (key: string) => void;
  readonly onSelect: (key: string | undefined) => void;
}

export function useLogKeys(keys: LogKeys): (event: KeyboardEvent) => void {
  const { trace, rows, cursor, field, isNested, goTo } = keys;
  const { router, api } = useInspector();
  const actions = useMemo(() => {
    const freeze = () => (trace.freeze.get() === undefined ? trace.hold(Date.now()) : trace.thaw());
    const nextError = () => {
      const faults = rows.filter((row) => row.kind === 'call' && isFault(row.call));
      const at = cursor === undefined ? -1 : rows.indexOf(cursor);
      const next = faults.find((row) => rows.indexOf(row) > at) ?? faults[0];
      if (next !== undefined) goTo(next.key);
    };
    return [
      { name: 'Find in the MCP log', keys: ['/'], run: () => field.current?.focus() },
      { name: 'Next error', keys: ['e'], run: nextError },
      {
        name: isNested ? 'Show the MCP log in order of time' : 'Show the MCP log by caller',
        keys: ['t'],
        run: () => router.adjust({ order: isNested ? 'time' : undefined }),
      },
      { name: 'Copy the MCP message', keys: ['c'], run: () => void copyFrame(cursor) },
      { name: 'Freeze, go on', keys: ['f'], run: freeze },
    ];
    /** Copy the whole response, else the whole request. */
    async function copyFrame(row: LogRow | undefined): Promise<void> {
      if (row?.kind !== 'call') return;
      const round = row.call.rounds.at(-1);
      const entry = round?.response?.text != null ? round.response : round?.request;
      if (entry?.text == null) return;
      const text = entry.is_whole
        ? entry.text
        : ((await api.mcpFrame(trace.sessionId, entry.key)).body?.text ?? entry.text);
      await navigator.clipboard?.writeText(text);
    }
  }, [trace, rows, cursor, field, isNested, goTo, router, api]);
  useActions('MCP log', actions);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Within an opened line the keys are of what is in it.
    const isRow = event.target instanceof HTMLElement && event.target.matches(ROWS);
    const act = isRow ? rowAction(event.key, keys) : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
}

const ROWS = '.ins-mcp-row, .ins-mcp-group';

function rowAction(key: string, keys: LogKeys): (() => void) | undefined {
  const { rows, cursor, opened, page, toggle, goTo, onSelect } = keys;
  const at = cursor === undefined ? -1 : rows.indexOf(cursor);
  const move = (to: number) => () => {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (row !== undefined) goTo(row.key);
  };
  const isOpen =
    cursor !== undefined && (cursor.kind === 'group' ? !cursor.isFolded : opened.has(cursor.key));
  switch (key) {
    case 'ArrowDown':
      return move(at + 1);
    case 'ArrowUp':
      return move(at - 1);
    case 'PageDown':
      return move(at + page);
    case 'PageUp':
      return move(at - page);
    case 'Home':
      return move(0);
    case 'End':
      return move(rows.length - 1);
    case 'ArrowRight':
      return cursor === undefined || isOpen ? move(at + 1) : () => toggle(cursor.key);
    case 'ArrowLeft':
      return cursor === undefined || !isOpen ? move(groupOf(rows, at)) : () => toggle(cursor.key);
    case 'Enter':
      if (cursor?.kind !== 'call' || cursor.call.spanKey === undefined) return undefined;
      return () => onSelect(cursor.call.spanKey);
  }
  return undefined;
}

/** Index of the row that contains this one. */
function groupOf(rows: readonly LogRow[], at: number): number {
  for (let place = at - 1; place >= 0; place -= 1) if (rows[place]?.kind === 'group') return place;
  return at;
}
