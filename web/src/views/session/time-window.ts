/** Window of the time axis: all of it, or the zoomed part, which is in the address. */
import { type PointerEvent, useCallback, useEffect, useMemo, useState } from 'react';
import type { TimeAxis } from '../../model/timeline/gaps.ts';
import {
  fitWindow,
  panWindow,
  type TimeWindow,
  toOffset,
  zoomWindow,
} from '../../model/timeline/time-scale.ts';
import type { Trace } from '../../state/trace.ts';
import { WATERFALL_ACTIONS, WATERFALL_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';

/** Windows are places of the axis; the stored one is offsets, because gaps may change. */
export interface TimeWindowControl {
  /** The current window; it moves while something runs and the reader has not zoomed. */
  readonly read: () => TimeWindow;
  /** Window before any zoom. */
  readonly whole: () => TimeWindow;
  readonly now_ns: () => number;
  readonly isZoomed: boolean;
  /** A factor below 1 zooms in; `x` keeps its position, by default the middle. */
  readonly zoom: (factor: number, x?: number) => void;
  readonly pan: (by_px: number) => void;
  readonly show: (view: TimeWindow) => void;
  /** Show these offsets, with room at the end for the labels beside bars. */
  readonly fitTo: (offsets: TimeWindow) => void;
  readonly fit: () => void;
  readonly dragHandlers: { readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void };
}

const ADDRESS_AFTER_MS = 250;
/** Room for a duration beside the last bar, where most of the width remains for the bars. */
const LABEL_PX = 52;
const MOST_ROOM = 0.4;
/** Factor of one press of a zoom key. */
const ZOOM_STEP = 1.5;

export function useTimeWindow(trace: Trace, bars_px: number, axis: TimeAxis): TimeWindowControl {
  const { clock, router } = useInspector();
  const [zoomed, setZoomed] = useState<TimeWindow | undefined>(() =>
    parseWindow(router.route.get().query.get('t')),
  );
  useAddress(zoomed);

  const now_ns = useCallback(() => {
    const epoch_ns = trace.epoch_ns.get();
    if (epoch_ns === undefined) return 0;
    const frozen = trace.freeze.get();
    const now = clock.nowOffset_ns(epoch_ns);
    return frozen === undefined ? now : now - (Date.now() - frozen.since_ms) * 1e6;
  }, [clock, trace]);
  const extent = useCallback(() => {
    const { isRunning, ...all } = trace.tally.extent(now_ns());
    return { ...axis.windowOf(all), isRunning };
  }, [trace, now_ns, axis]);
  const room = Math.min(LABEL_PX / Math.max(1, bars_px - LABEL_PX), MOST_ROOM);
  const whole = useCallback(() => {
    const all = extent();
    return fitWindow(all, all.isRunning, room);
  }, [extent, room]);
  const read = useCallback(
    () => (zoomed === undefined ? whole() : axis.windowOf(zoomed)),
    [whole, axis, zoomed],
  );

  return useMemo(() => {
    const show = ({ start_ns, end_ns }: TimeWindow) =>
      setZoomed({ start_ns: axis.offsetOf(start_ns), end_ns: axis.offsetOf(end_ns) });
    const zoom = (factor: number, x = bars_px / 2) => {
      const view = read();
      show(zoomWindow(view, factor, toOffset(x, view, bars_px), extent()));
    };
    const pan = (by_px: number) => {
      const view = read();
      const by_ns = (by_px / Math.max(1, bars_px)) * (view.end_ns - view.start_ns);
      show(panWindow(view, by_ns, extent()));
    };
    return {
      read,
      whole,
      now_ns,
      isZoomed: zoomed !== undefined,
      zoom,
      pan,
      show,
      fitTo: (offsets) => show(fitWindow(axis.windowOf(offsets), false, room)),
      fit: () => setZoomed(undefined),
      dragHandlers: { onPointerDown: (event) => drag(event, pan) },
    };
  }, [read, whole, now_ns, extent, bars_px, room, zoomed, axis]);
}

export function useTimeKeys({ zoom, fit }: TimeWindowControl, zoomToRows: () => void): void {
  const actions = useMemo(
    () => [
      { name: WATERFALL_ACTIONS.zoomIn, keys: ['+', '='], run: () => zoom(1 / ZOOM_STEP) },
      { name: WATERFALL_ACTIONS.zoomOut, keys: ['-'], run: () => zoom(ZOOM_STEP) },
      { name: WATERFALL_TEXT.zoom, keys: ['v'], run: zoomToRows },
      { name: WATERFALL_TEXT.showEverything, keys: ['0'], run: fit },
    ],
    [zoom, fit, zoomToRows],
  );
  useActions('Waterfall', actions);
}

/** Zoom at the pointer by Ctrl + wheel or a pinch; pan by Shift + wheel or a sideways scroll. */
export function useWheel(
  element: HTMLElement | null,
  { zoom, pan }: TimeWindowControl,
  left_px: number,
): void {
  useEffect(() => {
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        const x = event.clientX - element.getBoundingClientRect().left - left_px;
        zoom(Math.exp(clampStep(event.deltaY) / 300), Math.max(0, x));
      } else if (Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) pan(sideways);
      else return;
      event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [element, zoom, pan, left_px]);
}

/** Limit a step: a wheel with notches sends 120 at once, a touchpad single pixels. */
function clampStep(delta: number): number {
  return Math.min(Math.max(delta, -120), 120);
}

/** Pan by dragging the axis. */
function drag(event: PointerEvent<HTMLElement>, pan: (by_px: number) => void): void {
  const target = event.currentTarget;
  target.setPointerCapture(event.pointerId);
  const move = (moved: globalThis.PointerEvent) => pan(-moved.movementX);
  target.addEventListener('pointermove', move);
  target.addEventListener(
    'lostpointercapture',
    () => target.removeEventListener('pointermove', move),
    { once: true },
  );
}

function useAddress(zoomed: TimeWindow | undefined): void {
  const { router } = useInspector();
  useEffect(() => {
    const text =
      zoomed === undefined
        ? undefined
        : `${Math.round(zoomed.start_ns)},${Math.round(zoomed.end_ns)}`;
    const timer = setTimeout(() => router.adjust({ t: text }), ADDRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [zoomed, router]);
}

function parseWindow(text: string | null): TimeWindow | undefined {
  const match = /^(-?\d{1,18}),(-?\d{1,18})$/.exec(text ?? '');
  if (match === null) return undefined;
  const [start_ns, end_ns] = [Number(match[1]), Number(match[2])];
  return end_ns > start_ns ? { start_ns, end_ns } : undefined;
}
