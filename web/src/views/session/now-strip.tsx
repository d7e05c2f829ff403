/** What a running session does now: the running spans in which nothing else runs. */
import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { formatRunning } from '../../model/text/format.ts';
import { deepestRunning } from '../../model/trace/live-branches.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { endOffset, stallOf } from '../../model/trace/span-status.ts';
import type { Trace } from '../../state/trace.ts';
import { PARTS_TEXT, SESSION_TEXT } from '../../texts.ts';
import { useCell, useRow, useTraceNow } from '../parts/context.ts';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';
import './now-strip.css';

const SHOWN = 4;

interface NowStripProps {
  readonly trace: Trace;
  readonly waiting: ReadonlySet<string>;
  readonly onSelect: (key: string) => void;
}

export function NowStrip({ trace, waiting, onSelect }: NowStripProps) {
  const running = useCell(trace.running);
  const structure = useCell(trace.structure);
  const isReady = useCell(trace.state).kind === 'ready';
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when to look anew
  const now = useMemo(
    () => (isReady ? deepestRunning(trace.forest, trace.tally.running) : []),
    [trace, running, structure, isReady],
  );
  if (now.length === 0) return null;
  const more = now.length - SHOWN;
  return (
    <section className="ins-now" aria-label={SESSION_TEXT.now}>
      <h2>{SESSION_TEXT.now}</h2>
      <ul>
        {now.slice(0, SHOWN).map((span) => (
          <li key={spanKey(span)}>
            <Running
              trace={trace}
              spanKey={spanKey(span)}
              agent={agentOf(trace, span)}
              isWaiting={waiting.has(spanKey(span))}
              onSelect={onSelect}
            />
          </li>
        ))}
        {more > 0 && <li className="ins-now__more">{SESSION_TEXT.andMore(more)}</li>}
      </ul>
    </section>
  );
}

interface RunningProps {
  readonly trace: Trace;
  readonly spanKey: string;
  /** Name of the agent that it works for. */
  readonly agent: string | undefined;
  readonly isWaiting: boolean;
  readonly onSelect: (key: string) => void;
}

function Running({ trace, spanKey: key, agent, isWaiting, onSelect }: RunningProps) {
  const span = useRow(trace.spans, key);
  const now_ns = useTraceNow(trace, 500);
  if (span === undefined) return null;
  const stall = stallOf(span, now_ns);
  return (
    <button type="button" className="ins-now__span" onClick={() => onSelect(key)}>
      <KindIcon kind={span.kind} />
      {agent !== undefined && (
        <span className="ins-now__agent" title={agent}>
          {agent}{' '}
        </span>
      )}
      <strong title={span.name}>{span.name || PARTS_TEXT.noName}</strong>
      {isWaiting && <StatusIcon shape="waiting" />}
      <span className="ins-now__time">
        {isWaiting && SESSION_TEXT.waiting}{' '}
        {formatRunning(endOffset(span, now_ns) - span.offset_ns)}
      </span>
      {stall !== undefined && (
        <span className="ins-now__stall">
          {SESSION_TEXT.stalls(formatRunning(stall.end_ns - stall.start_ns))}
        </span>
      )}
    </button>
  );
}

function agentOf({ forest, spans }: Trace, span: SpanRow): string | undefined {
  const above = forest.ancestorsOf(forest.numberOf(spanKey(span)) ?? -1);
  for (const number of above) {
    const row = spans.get(forest.keyOf(number) ?? '');
    if (row?.kind === 'agent') return row.subject ?? row.name;
  }
  return undefined;
}
