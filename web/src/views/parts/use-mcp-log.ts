/** The MCP log of a session as calls, up to date while it is shown. */
import { useEffect, useMemo, useState } from 'react';
import type { McpEntry } from '../../api/types.ts';
import { joinCalls, type McpCall } from '../../model/mcp/mcp-calls.ts';
import { compareEntries } from '../../model/mcp/mcp-frames.ts';
import { parentKey } from '../../model/trace/span-key.ts';
import { McpLog } from '../../state/mcp-log.ts';
import { passing } from '../../state/passing.ts';
import type { LoadState } from '../../state/sessions.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector } from './context.ts';
import { useMoreTries } from './more-tries.ts';

/** Least time between two requests. */
const EVERY_MS = 300;
/** Pause between requests while a session runs, for what no span reports, such as server output. */
const ASK_MS = 3000;
const LIVE = new Set(['running', 'waiting', 'paused']);

interface ShownLog {
  readonly calls: readonly McpCall[];
  readonly state: LoadState;
  readonly isLive: boolean;
}

/**
 * At an instant: the messages that had been sent, which are read once for all instants. Nothing is
 * read unless `isWanted`.
 */
export function useMcpLog(shown: Trace, isWanted = true): ShownLog {
  const { api } = useInspector();
  const trace = shown.whole;
  const session = useCell(trace.session);
  const isLive = session !== undefined && LIVE.has(session.status);
  const [log, setLog] = useState<McpLog>();
  useEffect(() => {
    if (!isWanted) return;
    const opened = new McpLog(trace.sessionId, api);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let missed = false;
    const read = () => {
      timer = undefined;
      if (trace.freeze.get() === undefined) void opened.read();
      else missed = true;
    };
    const soon = () => {
      timer ??= setTimeout(read, EVERY_MS);
    };
    const thawed = () => {
      if (missed && trace.freeze.get() === undefined) {
        missed = false;
        soon();
      }
    };
    void opened.read();
    setLog(opened);
    const stops = [
      trace.spans.subscribe(soon),
      trace.session.subscribe(soon),
      trace.waiting.subscribe(soon),
      trace.freeze.subscribe(thawed),
    ];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer);
      opened.close();
      setLog(undefined);
    };
  }, [trace, api, isWanted]);
  useEffect(() => {
    if (log === undefined) return;
    const timer = setInterval(() => {
      // What could not be read at all is tried again, be the session over or not.
      if (!isLive && log.state.get().kind !== 'failed') return;
      const isSeen = document.visibilityState === 'visible' && trace.freeze.get() === undefined;
      if (isSeen) void log.read();
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [log, isLive, trace]);
  return useJoined(log, shown, isLive);
}

const LOADING: LoadState = { kind: 'loading' };

function useJoined(log: McpLog | undefined, shown: Trace, isRunning: boolean): ShownLog {
  const [version, setVersion] = useState(0);
  const [state, setState] = useState<LoadState>(LOADING);
  useMoreTries(passing(state), () => void log?.read());
  useEffect(() => {
    if (log === undefined) return;
    setVersion(log.version.get());
    setState(log.state.get());
    const stops = [
      log.version.subscribe(() => setVersion(log.version.get())),
      log.state.subscribe(() => setState(log.state.get())),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [log]);
  const trace = shown.whole;
  const structure = useCell(trace.structure);
  const at_ns = useCell(shown.at_ns);
  const isPast = at_ns !== undefined;
  // What was open then may still get its answer.
  const isLive = isRunning || isPast;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that entries came
  const byTime = useMemo(
    () => (isPast && log !== undefined ? [...log.entries.values()].sort(compareEntries) : []),
    [log, version, isPast],
  );
  // Most instants have the same messages as the one before.
  const count = isPast ? sentBy(byTime, at_ns) : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when to join anew
  const calls = useMemo(
    () =>
      log === undefined
        ? []
        : joinCalls(count === undefined ? log.entries.values() : byTime.slice(0, count), {
            parentOf: (key) => {
              const span = trace.spans.get(key);
              return span === undefined ? undefined : parentKey(span) || undefined;
            },
            isLive,
          }),
    [log, version, structure, isLive, trace, byTime, count],
  );
  return { calls, state, isLive };
}

/** Number of entries, which are by time, up to an instant. */
function sentBy(entries: readonly McpEntry[], at_ns: number): number {
  const later = entries.findIndex(({ offset_ns }) => offset_ns > at_ns);
  return later < 0 ? entries.length : later;
}
