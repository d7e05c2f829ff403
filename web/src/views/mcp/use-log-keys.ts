/** Actions of the MCP log and their keys. */
import { type RefObject, useMemo } from 'react';
import { isFault, type LogRow } from '../../model/mcp/mcp-rows.ts';
import type { Trace } from '../../state/trace.ts';
import { ACTION_TEXT, MCP_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';

interface LogKeys {
  readonly trace: Trace;
  readonly rows: readonly LogRow[];
  readonly cursor: LogRow | undefined;
  readonly isNested: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly goTo: (key: string) => void;
  readonly onSelect: (key: string | undefined) => void;
}

export function useLogKeys(keys: LogKeys): void {
  const { trace, rows, cursor, field, isNested, goTo } = keys;
  const { router, api } = useInspector();
  const actions = useMemo(() => {
    const freeze = () => {
      const { whole } = trace;
      if (whole.freeze.get() === undefined) whole.hold(Date.now());
      else whole.thaw();
    };
    const nextError = () => {
      const faults = rows.filter((row) => row.kind === 'call' && isFault(row.call));
      const at = cursor === undefined ? -1 : rows.indexOf(cursor);
      const next = faults.find((row) => rows.indexOf(row) > at) ?? faults[0];
      if (next !== undefined) goTo(next.key);
    };
    return [
      { name: MCP_TEXT.find, keys: ['/'], run: () => field.current?.focus() },
      { name: MCP_TEXT.nextError, keys: ['e'], run: nextError },
      {
        name: isNested ? MCP_TEXT.byTimeTitle : MCP_TEXT.byCallerTitle,
        keys: ['t'],
        run: () => router.adjust({ order: isNested ? 'time' : undefined }),
      },
      { name: MCP_TEXT.copyMessage, keys: ['c'], run: () => void copyFrame(cursor) },
      { name: ACTION_TEXT.freeze, keys: ['f'], run: freeze },
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
}
