/**
 * Draws the bars of the visible rows.
 *
 * The canvas lies in the scrolled content and covers a few rows more than are seen, so that
 * scrolling moves it with the rows and it is redrawn only when other rows come into view.
 * y: CSS pixels from its top edge; row n begins at `n * rowHeight_px`.
 */
import type { SpanRow } from '../api/types.ts';
import { formatDuration, formatGrowing } from '../model/text/format.ts';
import { inHueOf } from '../model/text/hue.ts';
import {
  type Bar,
  barOf,
  breakLabelX,
  joined,
  labelX,
  placeLabel,
  waitsOf,
} from '../model/timeline/bars.ts';
import type { Gap, TimeAxis } from '../model/timeline/gaps.ts';
import { type TimeWindow, ticksOfPart, toX } from '../model/timeline/time-scale.ts';
import { isPlain } from '../model/trace/services.ts';
import { endOffset, stallOf, waitsSince } from '../model/trace/span-status.ts';
import { SESSION_TEXT, WATERFALL_TEXT, waitingFor } from '../texts.ts';
import { hatch, prepare } from './canvas.ts';
import type { Palette } from './palette.ts';

interface WaterfallScene {
  readonly spans: readonly SpanRow[];
  readonly isWaiting: (span: SpanRow) => boolean;
  /** Whether a span is drawn faint, because it does not match the search. */
  readonly isDimmed: (span: SpanRow) => boolean;
  /**
   * Intervals in which the end of the session waited for a span: drawn as a thin line above its
   * bar.
   */
  readonly pathOf: (span: SpanRow) => readonly TimeWindow[];
  readonly axis: TimeAxis;
  /** Intervals in which nothing works, whether the axis shortens them or not. */
  readonly gaps: readonly Gap[];
  /** Visible range on the axis. */
  readonly view: TimeWindow;
  readonly now_ns: number;
  /** Whether that is an earlier instant. */
  readonly isPast?: boolean;
  readonly width_px: number;
  readonly rowHeight_px: number;
  /** Least height, that of the viewport, for the grid. */
  readonly minHeight_px: number;
  readonly palette: Palette;
  /** Services of the session. */
  readonly services: readonly string[];
  /** Time since the page began, for the animated edge; 0 with reduced motion. */
  readonly phase_ms: number;
}

const BAR_HEIGHT_PX = 10;
/** Height of a line of text, and the width below which a gap has its label upright. */
const LINE_PX = 14;
const GAP_LABEL_PX = 90;
const APART_PX = 8;
/** Width of the bar of a lost span, whose end is not known. */
const LOST_PX = 28;
/** Least width of a stall that is drawn: a narrower one would look like two bars. */
const MIN_STALL_PX = 6;

export function drawWaterfall(canvas: HTMLCanvasElement, scene: WaterfallScene): void {
  const height_px = Math.max(scene.spans.length * scene.rowHeight_px, scene.minHeight_px);
  const context = prepare(canvas, scene.width_px, height_px);
  if (context === undefined) return;
  context.font = scene.palette.font;
  context.textBaseline = 'middle';
  drawGrid(context, scene, height_px);
  scene.spans.forEach((span, row) => {
    const bar = barFor(span, scene);
    if (bar === undefined) return;
    const y = row * scene.rowHeight_px + (scene.rowHeight_px - BAR_HEIGHT_PX) / 2;
    const isFaint = span.duplicate_of !== null || scene.isDimmed(span);
    context.globalAlpha = isFaint ? 0.35 : 1;
    drawBar(context, scene, span, bar, y);
    context.globalAlpha = 1;
    drawPath(context, scene, span, y);
    drawLabel(context, scene, span, bar, y + BAR_HEIGHT_PX / 2);
  });
}

function barFor(span: SpanRow, { axis, view, now_ns, width_px }: WaterfallScene): Bar | undefined {
  const [from, to] = [axis.placeOf(span.offset_ns), axis.placeOf(endOffset(span, now_ns))];
  const bar = barOf(from, to, view, width_px);
  const isOpen = span.status === 'lost' && span.duration_ns === null;
  return bar !== undefined && isOpen ? { ...bar, width: Math.max(bar.width, LOST_PX) } : bar;
}

function drawGrid(
  context: CanvasRenderingContext2D,
  { axis, gaps, view, width_px, palette, now_ns, spans, isPast = false }: WaterfallScene,
  height_px: number,
): void {
  for (const gap of gaps) {
    const { x, width } = boxOf(gap, axis, view, width_px);
    context.globalAlpha = 0.45;
    context.fillStyle = palette.line;
    context.fillRect(x, 0, width, height_px);
    context.globalAlpha = 1;
    dashed(context, palette.lineStrong, [x, x + width], height_px);
    context.fillStyle = palette.muted;
    if (width >= LINE_PX && width < GAP_LABEL_PX)
      drawUpright(context, gap, x + width / 2, height_px);
  }
  context.fillStyle = palette.grid;
  for (const offset of ticksOf(axis, view, width_px)) {
    const x = toX(axis.placeOf(offset), view, width_px);
    context.fillRect(Math.round(x), 0, 1, height_px);
  }
  if (!isPast && !spans.some((span) => span.status === 'running')) return;
  context.globalAlpha = 0.5;
  context.fillStyle = palette.accent;
  context.fillRect(Math.round(toX(axis.placeOf(now_ns), view, width_px)), 0, 1, height_px);
  context.globalAlpha = 1;
}

/** Draw the label of a gap that is narrower than its label, from the bottom up. */
function drawUpright(context: CanvasRenderingContext2D, gap: Gap, x: number, bottom: number): void {
  context.save();
  context.translate(x, bottom - APART_PX);
  context.rotate(-Math.PI / 2);
  context.fillText(gapLabel(gap), 0, 0);
  context.restore();
}

function gapLabel({ kind, start_ns, end_ns }: Gap): string {
  return `${WATERFALL_TEXT.gaps[kind]} ${formatDuration(end_ns - start_ns)}`;
}

function drawBar(
  context: CanvasRenderingContext2D,
  scene: WaterfallScene,
  span: SpanRow,
  bar: Bar,
  y: number,
): void {
  const { palette } = scene;
  const box = { x: bar.x, y, width: bar.width, height: BAR_HEIGHT_PX };
  if (scene.isWaiting(span) && span.waited.length === 0) {
    hatch(context, box, palette.waiting); // since when is not known
    return;
  }
  switch (span.status) {
    case 'lost':
      outline(context, box, palette.quiet);
      return;
    case 'cancelled':
      fill(context, box, palette.quiet, 0.55);
      context.fillStyle = palette.text;
      context.fillRect(box.x - 2, y + BAR_HEIGHT_PX / 2 - 0.5, box.width + 4, 1);
      break;
    case 'error':
      fill(context, box, palette.error, 1);
      context.fillStyle = colourOf(span, scene);
      context.fillRect(box.x, y + BAR_HEIGHT_PX + 1, box.width, 2);
      break;
    case 'running':
      fill(context, box, colourOf(span, scene), 0.62);
      drawRunningEdge(context, scene, span, box);
      break;
    default:
      fill(context, box, colourOf(span, scene), 1);
  }
  drawStall(context, scene, span, box);
  drawWaits(context, scene, span, box);
}

/** Draw the longest stall of a streamed answer, or the present one: a dashed line in a gap. */
function drawStall(
  context: CanvasRenderingContext2D,
  { axis, palette, view, width_px, now_ns }: WaterfallScene,
  span: SpanRow,
  box: Box,
): void {
  const stall = stallOf(span, now_ns);
  if (stall === undefined) return;
  const { x, width } = boxOf(stall, axis, view, width_px);
  if (width < MIN_STALL_PX) return;
  const before = context.globalAlpha;
  context.globalAlpha = before * 0.8;
  context.fillStyle = palette.ground;
  context.fillRect(x, box.y, width, box.height);
  context.globalAlpha = before;
  context.strokeStyle = palette.kind[span.kind];
  context.lineWidth = 2;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, box.y + box.height / 2);
  context.lineTo(x + width, box.y + box.height / 2);
  context.stroke();
  context.setLineDash([]);
}

/** The kind's; of several services, that of the service where the kind says little. */
function colourOf({ kind, service }: SpanRow, { palette, services }: WaterfallScene): string {
  if (services.length < 2 || !isPlain(kind) || service === null) return palette.kind[kind];
  return inHueOf(palette.service, service, services);
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function fill(context: CanvasRenderingContext2D, box: Box, colour: string, alpha: number): void {
  const before = context.globalAlpha;
  context.globalAlpha = before * alpha;
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, Math.min(3, box.width / 2));
  context.fill();
  context.globalAlpha = before;
}

function outline(context: CanvasRenderingContext2D, box: Box, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.roundRect(box.x + 0.75, box.y + 0.75, Math.max(box.width - 1.5, 1), box.height - 1.5, 3);
  context.stroke();
  context.setLineDash([]);
}

/** Draw the growing end of a running bar: solid, and pulsing. */
function drawRunningEdge(
  context: CanvasRenderingContext2D,
  scene: WaterfallScene,
  span: SpanRow,
  box: Box,
): void {
  const { phase_ms } = scene;
  const breath = phase_ms === 0 ? 1 : 0.7 + 0.3 * Math.cos((phase_ms / 1200) * 2 * Math.PI);
  const width = Math.min(3, box.width);
  fill(context, { ...box, x: box.x + box.width - width, width }, colourOf(span, scene), breath);
}

/** Draw waits for a person: stripes in place of the bar. */
function drawWaits(
  context: CanvasRenderingContext2D,
  { axis, palette, view, width_px, now_ns }: WaterfallScene,
  span: SpanRow,
  { y, height }: Box,
): void {
  if (span.waited.length === 0) return;
  const place = (offset_ns: number) => axis.placeOf(offset_ns);
  const placed = {
    offset_ns: place(span.offset_ns),
    waited: span.waited.map(([from, length]): [number, number | null] => [
      place(from),
      length === null ? null : place(from + length) - place(from),
    ]),
  };
  for (const { x, width } of waitsOf(placed, place(endOffset(span, now_ns)), view, width_px)) {
    context.save();
    context.globalAlpha = 1;
    context.fillStyle = palette.ground;
    context.fillRect(x, y, width, height);
    context.restore();
    hatch(context, { x, y, width, height }, palette.waiting);
  }
}

/** Draw the critical path: a thin line above the bar. */
function drawPath(
  context: CanvasRenderingContext2D,
  { axis, palette, view, width_px, pathOf }: WaterfallScene,
  span: SpanRow,
  y: number,
): void {
  context.fillStyle = palette.text;
  // Half a pixel; inside of gaps that are short it is less than that.
  const near_ns = (view.end_ns - view.start_ns) / width_px / 2;
  for (const stretch of joined(pathOf(span), near_ns)) {
    const { x, width } = boxOf(stretch, axis, view, width_px);
    context.fillRect(x, y - 3, Math.max(width, 1), 1.5);
  }
}

function boxOf(
  stretch: TimeWindow,
  axis: TimeAxis,
  view: TimeWindow,
  width_px: number,
): { x: number; width: number } {
  const edge = (offset_ns: number) => {
    const x = toX(axis.placeOf(offset_ns), view, width_px);
    return Math.min(Math.max(x, -1), width_px + 1);
  };
  const x = edge(stretch.start_ns);
  return { x, width: edge(stretch.end_ns) - x };
}

function dashed(
  context: CanvasRenderingContext2D,
  colour: string,
  xs: readonly number[],
  height_px: number,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  for (const x of xs) {
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, height_px);
  }
  context.stroke();
  context.setLineDash([]);
}

function drawLabel(
  context: CanvasRenderingContext2D,
  scene: WaterfallScene,
  span: SpanRow,
  bar: Bar,
  y: number,
): void {
  const { palette } = scene;
  const text = labelOf(span, scene);
  const width = context.measureText(text).width;
  const place = placeLabel(bar, width, scene.width_px);
  if (place === undefined) return;
  const x = labelX(bar, place, width);
  if (place === 'inside') {
    // Stripes, and hues of all kinds: only the ground below it is always read well.
    fill(context, { x: x - 4, y: y - 7, width: width + 8, height: 14 }, palette.ground, 1);
    context.fillStyle = span.status === 'error' ? palette.error : palette.text;
  } else context.fillStyle = span.status === 'error' ? palette.error : palette.muted;
  context.fillText(text, x, y + 0.5);
}

function labelOf(span: SpanRow, scene: WaterfallScene): string {
  // At an instant nothing grows: what runs is measured as what has ended.
  const format = scene.isPast === true ? formatDuration : formatGrowing;
  if (scene.isWaiting(span)) {
    const since_ns = waitsSince(span) ?? span.offset_ns;
    return waitingFor(format(scene.now_ns - since_ns));
  }
  switch (span.status) {
    case 'running': {
      const stall = stallOf(span, scene.now_ns);
      const ran = format(scene.now_ns - span.offset_ns);
      if (stall === undefined) return ran;
      return `${ran} · ${SESSION_TEXT.stalls(format(stall.end_ns - stall.start_ns))}`;
    }
    case 'lost':
      return 'lost';
    case 'cancelled':
      return `cancelled · ${formatDuration(span.duration_ns ?? 0)}`;
    default: {
      const took = formatDuration(span.duration_ns ?? 0);
      if (span.stall_ns === null) return took;
      return `${took} · ${SESSION_TEXT.stalls(formatDuration(span.stall_ns))}`;
    }
  }
}

/** Draw the labels of the time axis, above the rows. */
export function drawAxis(
  canvas: HTMLCanvasElement,
  scene: Pick<WaterfallScene, 'axis' | 'gaps' | 'view' | 'width_px' | 'palette'>,
  height_px: number,
): void {
  const { axis, gaps, view, width_px, palette } = scene;
  const context = prepare(canvas, width_px, height_px);
  if (context === undefined) return;
  context.font = palette.font;
  context.textBaseline = 'middle';
  /** Labels, with the distance that others keep. */
  const labels: { x: number; width: number }[] = [];
  const label = (text: string, x: number, width: number): void => {
    labels.push({ x: x - APART_PX, width: width + 2 * APART_PX });
    context.fillText(text, x, height_px / 2 + 1);
  };
  const boxes = gaps.map((gap) => ({ gap, box: boxOf(gap, axis, view, width_px) }));
  context.fillStyle = palette.line;
  for (const { box } of boxes) context.fillRect(box.x, 0, box.width, height_px);
  // Times first: a gap is seen without its label.
  for (const offset of ticksOf(axis, view, width_px)) {
    const x = Math.round(toX(axis.placeOf(offset), view, width_px));
    context.fillStyle = palette.line;
    context.fillRect(x, height_px - 6, 1, 6);
    context.fillStyle = palette.muted;
    const text = offset === 0 ? '0' : formatDuration(offset);
    const width = context.measureText(text).width;
    const isFree = breakLabelX({ x: x + 4, width }, width, labels, width_px) !== undefined;
    if (isFree) label(text, x + 4, width);
  }
  context.fillStyle = palette.text;
  boxes.forEach(({ gap, box }, at) => {
    const text = gapLabel(gap);
    const width = context.measureText(text).width;
    const others = boxes.filter((_, other) => other !== at).map((other) => other.box);
    const x = breakLabelX(box, width, [...others, ...labels], width_px);
    if (x !== undefined) label(text, x, width);
  });
}

/** Round offsets, none inside a shortened gap. */
function ticksOf(axis: TimeAxis, view: TimeWindow, width_px: number): number[] {
  return axis.segments(view).flatMap((segment) => ticksOfPart(segment, view, width_px));
}
