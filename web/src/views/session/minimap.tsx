/**
 * Minimap of the whole session above its tree, with a frame around the visible part of the time
 * axis.
 */
import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatDuration, formatOffset } from '../../model/text/format.ts';
import { minimapOf } from '../../model/timeline/minimap.ts';
import { type TimeWindow, toOffset, toX } from '../../model/timeline/time-scale.ts';
import { drawMinimap } from '../../render/minimap.ts';
import { readPalette } from '../../render/palette.ts';
import type { Trace } from '../../state/trace.ts';
import { useShownTheme, useSize } from '../parts/context.ts';
import { follow } from '../parts/follow.ts';
import type { SessionShape } from './session-shape.ts';
import type { TimeWindowControl } from './time-window.ts';
import './minimap.css';
import { WATERFALL_TEXT } from '../../texts.ts';

interface MinimapProps {
  readonly trace: Trace;
  readonly shape: SessionShape;
  readonly timeWindow: TimeWindowControl;
  /** Show the rows of spans that start at an offset. */
  readonly onJump: (offset_ns: number) => void;
}

const HEIGHT_PX = 40;
/** Least width of the frame, so that it can be dragged. */
const MIN_FRAME_PX = 6;
/** Limit of the movement of a click. */
const CLICK_PX = 3;
const STEP = 0.1;

export const Minimap = memo(function Minimap(props: MinimapProps) {
  const { trace, shape, timeWindow, onJump } = props;
  const theme = useShownTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const columns = Math.floor(useSize(element).width_px);
  const whole = timeWindow.whole();
  const map = useMemo(
    () =>
      columns < 1
        ? undefined
        : minimapOf(
            shape,
            trace.tally.errors.values(),
            shape.axis,
            timeWindow.whole(),
            columns,
            timeWindow.now_ns(),
          ),
    [shape, trace, timeWindow, columns],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew with the theme
  useEffect(() => {
    if (canvas.current === null || map === undefined) return;
    drawMinimap(canvas.current, map, readPalette(canvas.current), HEIGHT_PX);
  }, [map, theme]);

  const view = timeWindow.read();
  const clamp = (x: number) => Math.min(Math.max(x, 0), columns);
  const from = clamp(toX(view.start_ns, whole, columns));
  const to = clamp(Math.max(toX(view.end_ns, whole, columns), from + MIN_FRAME_PX));
  const place = (x: number) => toOffset(clamp(x), whole, columns);
  const left = () => element?.getBoundingClientRect().left ?? 0;
  const show = (start: number, end: number) => {
    if (end - start >= 1) timeWindow.show({ start_ns: place(start), end_ns: place(end) });
  };
  const move = (by_px: number) => {
    const start = Math.min(Math.max(from + by_px, 0), columns - (to - from));
    show(start, start + (to - from));
  };

  const onFrame = (event: PointerEvent<HTMLElement>) => {
    event.stopPropagation();
    const begin = event.clientX;
    const [first, last] = [from, to];
    follow(event, (x) => {
      const start = Math.min(Math.max(first + x - begin, 0), columns - (last - first));
      show(start, start + (last - first));
    });
  };
  const onEdge = (edge: 'from' | 'to') => (event: PointerEvent<HTMLElement>) => {
    event.stopPropagation();
    const other = edge === 'from' ? to : from;
    follow(event, (x) => {
      const at = clamp(x - left());
      show(Math.min(at, other), Math.max(at, other));
    });
  };
  const onGround = (event: PointerEvent<HTMLElement>) => {
    const begin = event.clientX - left();
    let isDragged = false;
    follow(event, (x) => {
      const at = clamp(x - left());
      isDragged ||= Math.abs(at - begin) > CLICK_PX;
      if (isDragged) show(Math.min(at, begin), Math.max(at, begin));
    });
    event.currentTarget.addEventListener(
      'pointerup',
      () => {
        if (isDragged) return;
        if (timeWindow.isZoomed) move(begin - (from + to) / 2);
        onJump(shape.axis.offsetOf(place(begin)));
      },
      { once: true },
    );
  };
  const onKey = (part: 'frame' | 'from' | 'to') => (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP, PageUp: -0.9, PageDown: 0.9 }[event.key];
    const by = (step ?? 0) * Math.max(to - from, 10);
    if (event.key === 'Home' || event.key === 'End') {
      const edge = event.key === 'Home' ? 0 : columns;
      if (part === 'frame') move(edge === 0 ? -columns : columns);
      else show(part === 'from' ? Math.min(edge, to - 1) : from, part === 'to' ? edge : to);
    } else if (step === undefined) return;
    else if (part === 'frame') move(by);
    else if (part === 'from') show(Math.min(Math.max(from + by, 0), to - 1), to);
    else show(from, Math.max(Math.min(to + by, columns), from + 1));
    event.preventDefault();
  };
  const slider = (part: 'frame' | 'from' | 'to', name: string) => ({
    role: 'slider',
    tabIndex: 0,
    'aria-label': name,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': Math.round(((part === 'to' ? to : from) / Math.max(columns, 1)) * 100),
    'aria-valuetext': words(shape, view, part),
    onKeyDown: onKey(part),
  });
  return (
    <div
      ref={setElement}
      className={`ins-minimap${timeWindow.isZoomed ? ' ins-minimap--zoomed' : ''}`}
      style={{ height: HEIGHT_PX }}
      role="group"
      aria-label={WATERFALL_TEXT.wholeSession}
      title={WATERFALL_TEXT.minimapTitle}
      onPointerDown={onGround}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div
        className="ins-minimap__frame"
        style={{ left: from, width: Math.max(to - from, MIN_FRAME_PX) }}
        onPointerDown={timeWindow.isZoomed ? onFrame : undefined}
        {...slider('frame', WATERFALL_TEXT.visible)}
      />
      <div
        className="ins-minimap__edge"
        style={{ left: from }}
        onPointerDown={onEdge('from')}
        {...slider('from', WATERFALL_TEXT.visibleFrom)}
      />
      <div
        className="ins-minimap__edge"
        style={{ left: to }}
        onPointerDown={onEdge('to')}
        {...slider('to', WATERFALL_TEXT.visibleTo)}
      />
    </div>
  );
});

function words({ axis }: SessionShape, view: TimeWindow, part: 'frame' | 'from' | 'to'): string {
  const [from, to] = [axis.offsetOf(view.start_ns), axis.offsetOf(view.end_ns)];
  if (part === 'from') return formatOffset(from);
  if (part === 'to') return formatOffset(to);
  return WATERFALL_TEXT.visibleTime(formatDuration(to - from), formatOffset(from));
}
