/** The MCP log of a session as calls, up to date while it is shown. */
import { useEffect, useMemo, useState } from 'react';
import { joinCalls, type McpCall } from '../../model/mcp/mcp-calls.ts';
import { parentKey } from '../../model/trace/span-key.ts';
import { McpLog } from '../../state/mcp-log.ts';
import type { LoadState } from '../../state/sessions.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector } from '../parts/context.ts';

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

export function useMcpLog(trace: Trace): ShownLog {
  const { api } = useInspector();
  const session = useCell(trace.session);
  const isLive = session !== undefined && LIVE.has(session.status);
  const [log, setLog] = useState<McpLog>();
  useEffect(() => {
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
    };
  }, [trace, api]);
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
  return useJoined(log, trace, isLive);
}

const LOADING: LoadState = { kind: 'loading' };

function useJoined(log: McpLog | undefined, trace: Trace, isLive: boolean): ShownLog {
  const [version, setVersion] = useState(0);
  const [state, setState] = useState<LoadState>(LOADING);
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
  const structure = useCell(trace.structure);
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when to join anew
  const calls = useMemo(
    () =>
      log === undefined
        ? []
        : joinCalls(log.entries.values(), {
            parentOf: (key) => {
              const span = trace.spans.get(key);
              return span === undefined ? undefined : parentKey(span) || undefined;
            },
            isLive,
          }),
    [log, version, structure, isLive, trace],
  );
  return { calls, state, isLive };
}
