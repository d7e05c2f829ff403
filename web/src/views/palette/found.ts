/** Items of the palette for data: sessions, and spans of the open one. */
import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { fuzzyMatch } from '../../model/query/fuzzy.ts';
import { formatDuration } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { sessionPath } from '../../state/route.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { best, useFoundSessions } from '../parts/found-sessions.ts';
import { kindName } from '../parts/icons.tsx';
import { useTimes } from '../parts/times.tsx';
import { type Item, SESSIONS, SPANS } from './items.ts';

export function useSessionItems(query: string): readonly Item[] {
  const { router } = useInspector();
  const found = useFoundSessions(query);
  const times = useTimes();
  return useMemo(
    () =>
      found.map((session) => ({
        id: `session ${session.id}`,
        name: plainLine(session.title || session.id),
        where: SESSIONS,
        detail: `${session.status}, ${times.when(session.started_at, Date.now())}`,
        run: () => router.push(sessionPath(session.id)),
      })),
    [found, router, times],
  );
}

/** Spans of the open session by name, or by a part of it. */
export function useSpanItems(query: string): readonly Item[] {
  const { openTrace, router } = useInspector();
  const trace = useCell(openTrace);
  return useMemo(() => {
    if (trace === undefined || query === '') return [];
    return best(trace.spans.values(), ({ name }) => fuzzyMatch(query, name)).map((span) => ({
      id: `span ${spanKey(span)}`,
      name: plainLine(span.name),
      where: SPANS,
      detail: describe(span),
      run: () => openSpan(trace, span, router.adjust.bind(router)),
    }));
  }, [trace, query, router]);
}

function openSpan(
  trace: Trace,
  span: SpanRow,
  adjust: (values: Record<string, string>) => void,
): void {
  if (trace.spans.get(spanKey(span)) !== undefined) adjust({ span: spanKey(span) });
}

function describe(span: SpanRow): string {
  const status = span.status === 'ok' || span.status === 'unset' ? '' : `, ${span.status}`;
  const took = span.duration_ns === null ? '' : `, ${formatDuration(span.duration_ns)}`;
  return `${kindName(span.kind)}${status}${took}`;
}
