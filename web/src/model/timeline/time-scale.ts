/**
 * The time axis of the waterfall.
 *
 * Two spaces: *offsets* are nanoseconds from the session's epoch; *x* is CSS pixels from the left
 * edge of the bar column.
 */
import type { SpanRow } from '../../api/types.ts';
import { endOffset } from '../trace/span-status.ts';

/** Visible part of the axis, as offsets; the end is exclusive. */
export interface TimeWindow {
  readonly start_ns: number;
  readonly end_ns: number;
}

/** Least width of a window: a narrower one is all rounding noise. */
const MIN_WINDOW_NS = 1e3;

/** Largest zoom-out, as a multiple of the extent. */
const MAX_ZOOM_OUT = 1.5;

export function toX(offset_ns: number, view: TimeWindow, width_px: number): number {
  return ((offset_ns - view.start_ns) / (view.end_ns - view.start_ns)) * width_px;
}

export function toOffset(x: number, view: TimeWindow, width_px: number): number {
  return view.start_ns + (x / width_px) * (view.end_ns - view.start_ns);
}

/**
 * The window that shows everything, with `room` (a fraction of the length) at its end for the
 * labels beside the last bars. While something runs, its end moves in steps with room to grow, so
 * that the bars of finished spans stand still most of the time.
 */
export function fitWindow(extent: TimeWindow, isRunning: boolean, room = 0.02): TimeWindow {
  const length = Math.max(extent.end_ns - extent.start_ns, MIN_WINDOW_NS) * (1 + room);
  if (!isRunning) return { start_ns: extent.start_ns, end_ns: extent.start_ns + length };
  const STEP = 1.5;
  const FIRST_NS = 2e9;
  const steps = Math.max(0, Math.ceil(Math.log((length * 1.03) / FIRST_NS) / Math.log(STEP)));
  return { start_ns: extent.start_ns, end_ns: extent.start_ns + FIRST_NS * STEP ** steps };
}

/** Zoom around an offset that keeps its position; a factor < 1 zooms in. */
export function zoomWindow(
  view: TimeWindow,
  factor: number,
  anchor_ns: number,
  extent: TimeWindow,
): TimeWindow {
  const whole = Math.max(extent.end_ns - extent.start_ns, MIN_WINDOW_NS);
  const old = view.end_ns - view.start_ns;
  const length = clamp(old * factor, MIN_WINDOW_NS, whole * MAX_ZOOM_OUT);
  const start_ns = anchor_ns - ((anchor_ns - view.start_ns) / old) * length;
  return keepInside({ start_ns, end_ns: start_ns + length }, extent);
}

export function panWindow(view: TimeWindow, by_ns: number, extent: TimeWindow): TimeWindow {
  return keepInside({ start_ns: view.start_ns + by_ns, end_ns: view.end_ns + by_ns }, extent);
}

/** Keep the window from leaving the extent by more than half of its length. */
function keepInside(view: TimeWindow, extent: TimeWindow): TimeWindow {
  const length = view.end_ns - view.start_ns;
  const start_ns = clamp(
    view.start_ns,
    extent.start_ns - length / 2,
    Math.max(extent.start_ns - length / 2, extent.end_ns - length / 2),
  );
  return { start_ns, end_ns: start_ns + length };
}

const TICK_PX = 96;
/** A narrow axis has ticks closer to each other: one alone gives no scale. */
const LEAST_TICKS = 3;
const LEAST_TICK_PX = 48;

/**
 * Round offsets in a part of a window, evenly spaced: 1, 2 or 5 × 10ⁿ, or clock units. Their
 * spacing is that of the whole window, which is `width_px` wide.
 */
export function ticksOfPart(part: TimeWindow, view: TimeWindow, width_px: number): number[] {
  const length = view.end_ns - view.start_ns;
  const tick_px = clamp(width_px / LEAST_TICKS, LEAST_TICK_PX, TICK_PX);
  const maxCount = width_px / tick_px;
  if (!(length > 0) || maxCount < 1) return [];
  return multiples(part, tickStep(length / maxCount));
}

function multiples({ start_ns, end_ns }: TimeWindow, step: number): number[] {
  const first = Math.ceil(start_ns / step);
  const last = Math.floor(end_ns / step);
  const offsets: number[] = [];
  for (let n = first; n <= last; n += 1) offsets.push(n * step);
  return offsets;
}

const CLOCK_STEPS_NS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map(
  (s) => s * 1e9,
);

function tickStep(atLeast_ns: number): number {
  if (atLeast_ns > 1e9) {
    const clock = CLOCK_STEPS_NS.find((step) => step >= atLeast_ns);
    if (clock !== undefined) return clock;
  }
  const power = 10 ** Math.floor(Math.log10(atLeast_ns));
  const mantissa = [1, 2, 5, 10].find((m) => m * power >= atLeast_ns) ?? 10;
  return mantissa * power;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

interface RowInView {
  readonly span: SpanRow;
  readonly depth: number;
}

/**
 * Extent from the first start to the last end. A row with its children in view is left out: the
 * work is in them, and the root would make every such window the whole session.
 */
export function extentOfRows(rows: readonly RowInView[], now_ns: number): TimeWindow | undefined {
  const innermost = rows.filter(({ depth }, at) => (rows[at + 1]?.depth ?? 0) <= depth);
  if (innermost.length === 0) return undefined;
  return innermost.reduce(
    ({ start_ns, end_ns }, { span }) => ({
      start_ns: Math.min(start_ns, span.offset_ns),
      end_ns: Math.max(end_ns, endOffset(span, now_ns)),
    }),
    { start_ns: Number.POSITIVE_INFINITY, end_ns: Number.NEGATIVE_INFINITY },
  );
}
