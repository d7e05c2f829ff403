/** Spans with an open wait for a person, those with a request first. */
import { useMemo, useRef } from 'react';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector, useRow } from './context.ts';

/**
 * Keys of spans that wait for a person: from the feed while the page is open; after a reload, the
 * innermost running spans that have waited, while their session waits.
 */
export function useWaiting(trace: Trace): ReadonlySet<string> {
  const waiting = useCell(trace.waiting);
  const { requests } = useInspector();
  const requestIds = useRow(requests.ofSession, trace.sessionId);
  const session = useCell(trace.session);
  const structure = useCell(trace.structure);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure says when to read anew
  return useMemo(() => {
    if (trace !== trace.whole) return waiting;
    const keys = (requestIds ?? [])
      .map((id) => requests.rows.get(id))
      .map((request) => `${request?.trace_id}.${request?.span_id}`)
      .filter((key) => trace.spans.get(key) !== undefined);
    if (keys.length > 0) return new Set([...keys, ...waiting]);
    if (session?.status !== 'waiting' || waiting.size > 0) return waiting;
    const running = [...trace.tally.running.values()];
    const parents = new Set(running.map((span) => `${span.trace_id}.${span.parent_span_id}`));
    const innermost = running.filter((span) => !parents.has(spanKey(span)));
    const waited = innermost.filter((span) => span.waits > 0);
    return new Set((waited.length > 0 ? waited : innermost).map(spanKey));
  }, [waiting, requestIds, session?.status, trace, structure]);
}

/** `ids`, with `pinned` at its former position among them. */
export function usePinned(ids: readonly string[], pinned: string | undefined): readonly string[] {
  const place = useRef(0);
  if (pinned === undefined) return ids;
  const at = ids.indexOf(pinned);
  if (at >= 0) {
    place.current = at;
    return ids;
  }
  return [...ids.slice(0, place.current), pinned, ...ids.slice(place.current)];
}
