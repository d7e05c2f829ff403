/** Card of the span under the pointer, after a moment, with numbers that a bar cannot show. */
import { memo, useEffect, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { formatDuration, formatOffset, formatRunning } from '../../model/text/format.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { endOffset, selfTime } from '../../model/trace/span-status.ts';
import type { Trace } from '../../state/trace.ts';
import { FACT_TEXT, PARTS_TEXT, SPAN_TEXT, tokensInAndOut, WATERFALL_TEXT } from '../../texts.ts';
import { useTraceNow } from '../parts/context.ts';
import { KindIcon, kindName } from '../parts/icons.tsx';
import type { TreeView } from './tree-view.ts';
import './hover-card.css';

interface HoverCardProps {
  readonly scroller: HTMLElement | null;
  readonly trace: Trace;
  readonly tree: TreeView;
  readonly row_px: number;
  /** Left edge of the bars: there is no card over the names. */
  readonly left_px: number;
}

interface Place {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly isAbove: boolean;
}

const DELAY_MS = 250;
const CARD_PX = 280;
const CARD_HEIGHT_PX = 150;

export const HoverCard = memo(function HoverCard(props: HoverCardProps) {
  const { scroller, trace, tree, row_px, left_px } = props;
  const [place, setPlace] = useState<Place | undefined>(undefined);
  const { keyAt } = tree;
  useEffect(() => {
    if (scroller === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      setPlace(undefined);
    };
    const onMove = (event: PointerEvent) => {
      hide();
      if (event.pointerType !== 'mouse' || event.buttons !== 0) return;
      timer = setTimeout(
        () => setPlace(placeAt(event, scroller, row_px, left_px, keyAt)),
        DELAY_MS,
      );
    };
    scroller.addEventListener('pointermove', onMove, { passive: true });
    scroller.addEventListener('pointerleave', hide);
    scroller.addEventListener('pointerdown', hide);
    scroller.addEventListener('scroll', hide, { passive: true });
    return () => {
      hide();
      scroller.removeEventListener('pointermove', onMove);
      scroller.removeEventListener('pointerleave', hide);
      scroller.removeEventListener('pointerdown', hide);
      scroller.removeEventListener('scroll', hide);
    };
  }, [scroller, keyAt, row_px, left_px]);

  const span = place === undefined ? undefined : trace.spans.get(place.key);
  if (place === undefined || span === undefined) return null;
  return (
    <div
      className={`ins-hover${place.isAbove ? ' ins-hover--above' : ''}`}
      style={{ left: place.x, top: place.y, width: CARD_PX }}
      aria-hidden="true"
    >
      <Card trace={trace} span={span} />
    </div>
  );
});

function placeAt(
  event: PointerEvent,
  scroller: HTMLElement,
  row_px: number,
  left_px: number,
  keyAt: TreeView['keyAt'],
): Place | undefined {
  const box = scroller.getBoundingClientRect();
  const x = event.clientX - box.left;
  if (x < left_px) return undefined;
  const row = Math.floor((event.clientY - box.top + scroller.scrollTop) / row_px);
  const key = keyAt(row);
  if (key === undefined) return undefined;
  const rowTop = scroller.offsetTop + row * row_px - scroller.scrollTop;
  const isAbove = event.clientY + CARD_HEIGHT_PX + row_px > box.bottom;
  return {
    key,
    x: Math.max(4, Math.min(x + 8, box.width - CARD_PX - 8)),
    y: isAbove ? rowTop - 4 : rowTop + row_px + 4,
    isAbove,
  };
}

function childrenOf({ forest, spans }: Trace, span: SpanRow): SpanRow[] {
  const numbers = forest.childrenOf(forest.numberOf(spanKey(span)) ?? -1);
  return numbers.flatMap((number) => spans.get(forest.keyOf(number) ?? '') ?? []);
}

function Card({ trace, span }: { readonly trace: Trace; readonly span: SpanRow }) {
  const now_ns = useTraceNow(trace, undefined);
  const children = childrenOf(trace, span);
  const duration_ns = endOffset(span, now_ns) - span.offset_ns;
  const tokens = span.input_tokens !== null || span.output_tokens !== null;
  return (
    <>
      <p className="ins-hover__name">
        <KindIcon kind={span.kind} />
        {span.name || PARTS_TEXT.noName}
      </p>
      <dl>
        <dt>{kindName(span.kind)}</dt>
        <dd>{span.status === 'unset' ? WATERFALL_TEXT.ok : span.status}</dd>
        <dt>{FACT_TEXT.duration}</dt>
        <dd>
          {span.status === 'running'
            ? WATERFALL_TEXT.soFar(formatRunning(duration_ns))
            : span.status === 'lost'
              ? WATERFALL_TEXT.unknown
              : formatDuration(duration_ns)}
        </dd>
        {(children.length > 0 || span.waits > 0) && (
          <>
            <dt>{SPAN_TEXT.selfTimeLabel}</dt>
            <dd>{formatDuration(selfTime(span, children, now_ns))}</dd>
          </>
        )}
        {span.waits > 0 && (
          <>
            <dt>{SPAN_TEXT.waitingLabel}</dt>
            <dd>{formatDuration(span.wait_ns)}</dd>
          </>
        )}
        {span.model !== null && (
          <>
            <dt>{FACT_TEXT.model}</dt>
            <dd>{span.model}</dd>
          </>
        )}
        {tokens && (
          <>
            <dt>{SPAN_TEXT.tokens}</dt>
            <dd>{tokensInAndOut(span.input_tokens ?? 0, span.output_tokens ?? 0)}</dd>
          </>
        )}
        <dt>{FACT_TEXT.starts}</dt>
        <dd>{formatOffset(span.offset_ns)}</dd>
      </dl>
    </>
  );
}
