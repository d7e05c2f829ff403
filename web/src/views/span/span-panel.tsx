/** Panel of the selected span: the facts of its row at once, the rest once it is loaded. */
import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { formatDuration, formatOffset, formatRunning } from '../../model/text/format.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { endOffset } from '../../model/trace/span-status.ts';
import type { Trace } from '../../state/trace.ts';
import { PARTS_TEXT, SPAN_TEXT, TIME_TEXT } from '../../texts.ts';
import { useCell, useInspector, useRow, useTraceNow } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Guarded } from '../parts/guarded.tsx';
import { ActionIcon, KindIcon, kindName, StatusIcon } from '../parts/icons.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { ServiceMark } from '../parts/service-mark.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { useWaiting } from '../parts/waiting.ts';

import { useSpanLoad } from './span-load.ts';

import './span-panel.css';

const SpanBody = lazyPart(async () => (await import('./span-body.tsx')).SpanBody);

interface SpanPanelProps {
  readonly trace: Trace;
  readonly selected: string;
  readonly onClose: () => void;
}

export function SpanPanel({ trace, selected, onClose }: SpanPanelProps) {
  const row = useRow(trace.spans, selected);
  const isLoading = useCell(trace.state).kind === 'loading';
  const newest = useRow(trace.whole.spans, selected);
  const load = useSpanLoad(trace.sessionId, selected, row && newest);
  const { router } = useInspector();
  const select = useMemo(() => (key: string) => router.adjust({ span: key }), [router]);
  return (
    <aside className="ins-panel" aria-label={SPAN_TEXT.span}>
      {row === undefined ? (
        <header className="ins-panel__head">
          <div className="ins-panel__title">
            <h2>
              {isLoading
                ? PARTS_TEXT.loading
                : newest !== undefined
                  ? TIME_TEXT.notBegun
                  : SPAN_TEXT.notFound}
            </h2>
            <CloseButton onClose={onClose} />
          </div>
        </header>
      ) : (
        <>
          <PanelHead trace={trace} row={row} onClose={onClose} />
          <Guarded name={SPAN_TEXT.span} of={selected}>
            <SpanBody key={selected} trace={trace} row={row} load={load} onSelect={select} />
          </Guarded>
        </>
      )}
    </aside>
  );
}

interface PanelHeadProps {
  readonly trace: Trace;
  readonly row: SpanRow;
  readonly onClose: () => void;
}

function PanelHead({ trace, row, onClose }: PanelHeadProps) {
  const isWaiting = useWaiting(trace).has(spanKey(row));
  const services = useCell(trace.session)?.services;
  return (
    <header className="ins-panel__head">
      <div className="ins-panel__title">
        <KindIcon kind={row.kind} />
        <h2 title={row.name}>
          <VisibleText text={row.name || PARTS_TEXT.noName} />
        </h2>
        <CloseButton onClose={onClose} />
      </div>
      <p className="ins-panel__facts">
        <span>{kindName(row.kind)}</span>
        {row.service !== null && <ServiceMark service={row.service} services={services} />}
        <SpanState row={row} isWaiting={isWaiting} />
        <span>
          <Took trace={trace} row={row} />
        </span>
        <span>{SPAN_TEXT.startsAt(formatOffset(row.offset_ns))}</span>
        <span className="ins-panel__id">
          <code title={SPAN_TEXT.ids(row.trace_id, row.span_id)}>{row.span_id}</code>
          <CopyButton text={`${row.trace_id} ${row.span_id}`} what={SPAN_TEXT.traceIdAndSpanId} />
        </span>
      </p>
    </header>
  );
}

function CloseButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <button
      type="button"
      className="ins-icon-button ins-panel__close"
      title={SPAN_TEXT.closeTitle}
      aria-label={SPAN_TEXT.closeSpan}
      onClick={onClose}
    >
      <ActionIcon name="close" />
    </button>
  );
}

function SpanState({ row, isWaiting }: { readonly row: SpanRow; readonly isWaiting: boolean }) {
  if (isWaiting) return <Badge shape="waiting" text={SPAN_TEXT.waiting} />;
  switch (row.status) {
    case 'running':
      return <Badge shape="running" text={PARTS_TEXT.running} />;
    case 'error':
      return <Badge shape="failed" text={PARTS_TEXT.error} />;
    case 'cancelled':
      return <Badge shape="cancelled" text={PARTS_TEXT.cancelled} />;
    case 'lost':
      return <Badge shape="lost" text={PARTS_TEXT.lost} />;
    default:
      return <Badge shape="completed" text={SPAN_TEXT.ok} />;
  }
}

function Badge({
  shape,
  text,
}: {
  shape: Parameters<typeof StatusIcon>[0]['shape'];
  text: string;
}) {
  return (
    <span className={`ins-panel__state ins-panel__state--${shape}`}>
      <StatusIcon shape={shape} />
      {text}
    </span>
  );
}

function Took({ trace, row }: { readonly trace: Trace; readonly row: SpanRow }) {
  const now_ns = useTraceNow(trace, row.status === 'running' ? 500 : undefined);
  if (row.status === 'lost') return SPAN_TEXT.endUnknown;
  const took_ns = endOffset(row, now_ns) - row.offset_ns;
  return row.status === 'running' ? formatRunning(took_ns) : formatDuration(took_ns);
}
