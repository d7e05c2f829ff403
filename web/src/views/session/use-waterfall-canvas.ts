/** Draws the waterfall's two canvases: at once for input, else ≤ 10 times a second. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { SpanRow } from '../../api/types.ts';
import type { TimeWindow } from '../../model/timeline/time-scale.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { waitsSince } from '../../model/trace/span-status.ts';
import { type Palette, readPalette } from '../../render/palette.ts';
import { drawAxis, drawWaterfall } from '../../render/waterfall.ts';
import type { Trace } from '../../state/trace.ts';
import { useShownTheme } from '../parts/context.ts';
import type { SessionShape } from './session-shape.ts';
import type { TimeWindowControl } from './time-window.ts';
import type { TreeView } from './tree-view.ts';

interface CanvasInput {
  readonly trace: Trace;
  readonly tree: TreeView;
  /** The rows in the document: from `first` on, `count` of them. */
  readonly first: number;
  readonly count: number;
  readonly bars_px: number;
  readonly row_px: number;
  readonly viewport_px: number;
  readonly timeWindow: TimeWindowControl;
  readonly waiting: ReadonlySet<string>;
  readonly matches: (span: SpanRow) => boolean;
  readonly shape: SessionShape;
}

const REDRAW_MS = 100;
const AXIS_PX = 23;

export function useWaterfallCanvas(input: CanvasInput): {
  barsRef: RefObject<HTMLCanvasElement | null>;
  axisRef: RefObject<HTMLCanvasElement | null>;
} {
  const { trace } = input;
  const theme = useShownTheme();
  const barsRef = useRef<HTMLCanvasElement>(null);
  const axisRef = useRef<HTMLCanvasElement>(null);
  const palette = useRef<Palette | undefined>(undefined);
  const latest = useRef(input);
  const axisDrawn = useRef<AxisScene | undefined>(undefined);

  const draw = useCallback(() => {
    const [bars, axis] = [barsRef.current, axisRef.current];
    if (bars === null || axis === null) return;
    palette.current ??= readPalette(bars);
    // Of a session of which nothing is known yet, neither is the time.
    const visibility = latest.current.tree.rows.count === 0 ? 'hidden' : '';
    axis.style.visibility = bars.style.visibility = visibility;
    paint(bars, latest.current, palette.current);
    const scene = axisScene(latest.current, palette.current);
    // Scrolling changes nothing of it.
    if (axisDrawn.current !== undefined && isSame(axisDrawn.current, scene)) return;
    axisDrawn.current = scene;
    drawAxis(axis, scene, AXIS_PX);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew with the theme
  useLayoutEffect(() => {
    palette.current = undefined;
  }, [theme]);
  useLayoutEffect(() => {
    latest.current = input;
    draw();
  });
  useEffect(() => {
    const isRunning = () => trace === trace.whole && trace.tally.running.size > 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        draw();
        if (trace.freeze.get() === undefined && isRunning()) later();
      }, REDRAW_MS);
    };
    later();
    const stops = [trace.spans.subscribe(later), trace.freeze.subscribe(later)];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer);
    };
  }, [trace, draw]);
  return { barsRef, axisRef };
}

/** What of the intervals is before an instant. */
function cutAt(stretches: readonly TimeWindow[], at_ns: number): readonly TimeWindow[] {
  return stretches
    .filter(({ start_ns }) => start_ns < at_ns)
    .map(({ start_ns, end_ns }) => ({ start_ns, end_ns: Math.min(end_ns, at_ns) }));
}

const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');

type AxisScene = Parameters<typeof drawAxis>[1];

function axisScene({ timeWindow, bars_px, shape }: CanvasInput, palette: Palette): AxisScene {
  const { axis, gaps } = shape;
  return { axis, gaps, view: timeWindow.read(), width_px: bars_px, palette };
}

function isSame(a: AxisScene, b: AxisScene): boolean {
  return (
    a.view.start_ns === b.view.start_ns &&
    a.view.end_ns === b.view.end_ns &&
    a.width_px === b.width_px &&
    a.axis === b.axis &&
    a.gaps === b.gaps &&
    a.palette === b.palette
  );
}

function paint(
  bars: HTMLCanvasElement,
  {
    trace,
    tree,
    first,
    count,
    bars_px,
    row_px,
    viewport_px,
    timeWindow,
    waiting,
    matches,
    shape,
  }: CanvasInput,
  palette: Palette,
): void {
  const at_ns = trace.at_ns.get();
  const spans: SpanRow[] = [];
  for (let row = first; row < first + count; row += 1) {
    const span = tree.spanAt(row);
    if (span !== undefined) spans.push(span);
  }
  drawWaterfall(bars, {
    spans,
    isWaiting: (span) =>
      span.status === 'running' && (waiting.has(spanKey(span)) || waitsSince(span) !== undefined),
    isDimmed: (span) => !matches(span),
    pathOf: at_ns === undefined ? shape.pathOf : (span) => cutAt(shape.pathOf(span), at_ns),
    axis: shape.axis,
    gaps: shape.gaps,
    view: timeWindow.read(),
    now_ns: at_ns ?? timeWindow.now_ns(),
    isPast: at_ns !== undefined,
    width_px: bars_px,
    rowHeight_px: row_px,
    minHeight_px: count === tree.rows.count ? viewport_px : 0,
    palette,
    services: trace.session.get()?.services ?? [],
    phase_ms: reducedMotion.matches ? 0 : performance.now(),
  });
}
