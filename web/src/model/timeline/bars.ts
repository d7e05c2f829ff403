/** Position and label of a span's bar, in CSS pixels from the left edge of the bar column. */
import type { SpanRow } from '../../api/types.ts';
import { type TimeWindow, toX } from './time-scale.ts';

export interface Bar {
  readonly x: number;
  readonly width: number;
  /** Whether the bar continues beyond that edge of the window. */
  readonly isCutLeft: boolean;
  readonly isCutRight: boolean;
}

/** Least width, so that a span without duration stays visible. */
export const MIN_BAR_PX = 2;

/** The bar of a span; undefined outside the window. */
export function barOf(
  start_ns: number,
  end_ns: number,
  view: TimeWindow,
  width_px: number,
): Bar | undefined {
  const from = toX(start_ns, view, width_px);
  const to = Math.max(toX(end_ns, view, width_px), from + MIN_BAR_PX);
  if (to < 0 || from > width_px) return undefined;
  const x = Math.max(from, 0);
  return {
    x,
    width: Math.max(Math.min(to, width_px) - x, MIN_BAR_PX),
    isCutLeft: from < 0,
    isCutRight: to > width_px,
  };
}

/** Waits for a person within a bar; an open one ends with it. */
export function waitsOf(
  span: Pick<SpanRow, 'waited' | 'offset_ns'>,
  end_ns: number,
  view: TimeWindow,
  width_px: number,
): { x: number; width: number }[] {
  const bar = barOf(span.offset_ns, end_ns, view, width_px);
  if (bar === undefined) return [];
  return span.waited.flatMap(([offset_ns, duration_ns]) => {
    const until_ns = Math.min(duration_ns === null ? end_ns : offset_ns + duration_ns, end_ns);
    if (until_ns < span.offset_ns || offset_ns > end_ns) return [];
    const wait = barOf(offset_ns, until_ns, view, width_px);
    if (wait === undefined) return [];
    const x = Math.max(wait.x, bar.x);
    const to = Math.min(wait.x + wait.width, bar.x + bar.width);
    return to > x ? [{ x, width: to - x }] : [];
  });
}

type LabelPlace = 'right' | 'left' | 'inside';

const GAP_PX = 6;
/** Width of the bar that shows behind its label. */
const STUB_PX = 6;

/**
 * The label's position: beside the bar where there is room, else inside; never over a neighbour.
 */
export function placeLabel(bar: Bar, label_px: number, width_px: number): LabelPlace | undefined {
  if (bar.x + bar.width + label_px + 2 * GAP_PX <= width_px) return 'right';
  if (bar.x - GAP_PX - label_px >= 0) return 'left';
  return bar.width >= label_px + 2 * GAP_PX + STUB_PX ? 'inside' : undefined;
}

export function labelX(bar: Bar, place: LabelPlace, label_px: number): number {
  if (place === 'right') return bar.x + bar.width + GAP_PX;
  if (place === 'left') return bar.x - GAP_PX - label_px;
  return bar.x + bar.width - STUB_PX - GAP_PX - label_px;
}

interface Stretch {
  readonly x: number;
  readonly width: number;
}

/**
 * Where the label of a break in the axis begins: in the middle of it, else at one of its edges;
 * undefined where each of these places is on something else, or outside.
 */
export function breakLabelX(
  { x, width }: Stretch,
  label_px: number,
  others: readonly Stretch[],
  width_px: number,
): number | undefined {
  return [x + (width - label_px) / 2, x, x + width - label_px].find(
    (at) =>
      at >= 0 &&
      at + label_px <= width_px &&
      others.every((one) => at >= one.x + one.width || at + label_px <= one.x),
  );
}

/**
 * Intervals, sorted from last to first, with those closer than `near_ns` joined: thousands may
 * share a pixel.
 */
export function joined(stretches: readonly TimeWindow[], near_ns: number): TimeWindow[] {
  const found: { start_ns: number; end_ns: number }[] = [];
  for (const { start_ns, end_ns } of stretches) {
    const last = found.at(-1);
    if (last !== undefined && end_ns >= last.start_ns - near_ns) {
      last.start_ns = Math.min(start_ns, last.start_ns);
    } else found.push({ start_ns, end_ns });
  }
  return found;
}
