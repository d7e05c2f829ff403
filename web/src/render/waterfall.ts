/**
 * Draws the bars of the visible rows.
 *
 * The canvas lies in the scrolled content and covers a few rows more than are seen, so that
 * scrolling moves it with the rows and it is redrawn only when other rows come into view.
 * y: CSS pixels from its top edge; row n begins at `n * rowHeight_px`.
 */
import type { SpanRow } from '../api/types.ts';
import { type Bar, barOf, type LabelPlace, labelX, placeLabel, waitsOf } from '../model/bars.ts';
import { formatDuration, formatGrowing } from '../model/format.ts';
import { endOffset, waitsSince } from '../model/span-status.ts';
import { type TimeWindow, ticks, toX } from '../model/time-scale.ts';
import { hatch, prepare } from './canvas.ts';
import type { Palette } from './palette.ts';

export interface WaterfallScene {
  readonly spans: readonly SpanRow[];
  readonly isWaiting: (span: SpanRow) => boolean;
  /** Drawn faint: it does not match what is looked for. */
  readonly isDimmed: (span: SpanRow) => boolean;
  readonly view: TimeWindow;
  readonly now_ns: number;
  readonly width_px: number;
  readonly rowHeight_px: number;
  /** At least as high as what is seen, for the grid. */
  readonly minHeight_px: number;
  readonly palette: Palette;
  /** Time since the page began, for the moving edge; 0 with reduced motion. */
  readonly phase_ms: number;
}

const BAR_HEIGHT_PX = 10;
const TICK_PX = 96;
/** The end of a lost span is not known. */
const LOST_PX = 28;

export function drawWaterfall(canvas: HTMLCanvasElement, scene: WaterfallScene): void {
  const height_px = Math.max(scene.spans.length * scene.rowHeight_px, scene.minHeight_px);
  const context = prepare(canvas, scene.width_px, height_px);
  if (context === undefined) return;
  drawGrid(context, scene, height_px);
  context.font = scene.palette.font;
  context.textBaseline = 'middle';
  scene.spans.forEach((span, row) => {
    const bar = barFor(span, scene);
    if (bar === undefined) return;
    const y = row * scene.rowHeight_px + (scene.rowHeight_px - BAR_HEIGHT_PX) / 2;
    const isFaint = span.duplicate_of !== null || scene.isDimmed(span);
    context.globalAlpha = isFaint ? 0.35 : 1;
    drawBar(context, scene, span, bar, y);
    context.globalAlpha = 1;
    drawLabel(context, scene, span, bar, y + BAR_HEIGHT_PX / 2);
  });
}

function barFor(span: SpanRow, { view, now_ns, width_px }: WaterfallScene): Bar | undefined {
  const bar = barOf(span.offset_ns, endOffset(span, now_ns), view, width_px);
  const isOpen = span.status === 'lost' && span.duration_ns === null;
  return bar !== undefined && isOpen ? { ...bar, width: Math.max(bar.width, LOST_PX) } : bar;
}

function drawGrid(
  context: CanvasRenderingContext2D,
  { view, width_px, palette, now_ns, spans }: WaterfallScene,
  height_px: number,
): void {
  context.fillStyle = palette.grid;
  for (const offset of ticks(view, width_px / TICK_PX)) {
    context.fillRect(Math.round(toX(offset, view, width_px)), 0, 1, height_px);
  }
  if (!spans.some((span) => span.status === 'running')) return;
  context.globalAlpha = 0.5;
  context.fillStyle = palette.accent;
  context.fillRect(Math.round(toX(now_ns, view, width_px)), 0, 1, height_px);
  context.globalAlpha = 1;
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
    hatch(context, box, palette.waiting); // since when is not told
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
      context.fillStyle = palette.kind[span.kind];
      context.fillRect(box.x, y + BAR_HEIGHT_PX + 1, box.width, 2);
      break;
    case 'running':
      fill(context, box, palette.kind[span.kind], 0.62);
      drawRunningEdge(context, scene, span, box);
      break;
    default:
      fill(context, box, palette.kind[span.kind], 1);
  }
  drawWaits(context, scene, span, box);
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

/** The end that grows is solid, and breathes. */
function drawRunningEdge(
  context: CanvasRenderingContext2D,
  { palette, phase_ms }: WaterfallScene,
  span: SpanRow,
  box: Box,
): void {
  const breath = phase_ms === 0 ? 1 : 0.7 + 0.3 * Math.cos((phase_ms / 1200) * 2 * Math.PI);
  const width = Math.min(3, box.width);
  fill(context, { ...box, x: box.x + box.width - width, width }, palette.kind[span.kind], breath);
}

/** When a person was waited for: stripes on the ground, in place of the bar. */
function drawWaits(
  context: CanvasRenderingContext2D,
  { palette, view, width_px, now_ns }: WaterfallScene,
  span: SpanRow,
  { y, height }: Box,
): void {
  for (const { x, width } of waitsOf(span, endOffset(span, now_ns), view, width_px)) {
    context.save();
    context.globalAlpha = 1;
    context.fillStyle = palette.ground;
    context.fillRect(x, y, width, height);
    context.restore();
    hatch(context, { x, y, width, height }, palette.waiting);
  }
}

function drawLabel(
  context: CanvasRenderingContext2D,
  scene: WaterfallScene,
  span: SpanRow,
  bar: Bar,
  y: number,
): void {
  const text = labelOf(span, scene);
  const width = context.measureText(text).width;
  const place = placeLabel(bar, width, scene.width_px);
  if (place === undefined) return;
  context.fillStyle = labelColour(span, place, scene.palette);
  context.fillText(text, labelX(bar, place, width), y + 0.5);
}

function labelColour(span: SpanRow, place: LabelPlace, palette: Palette): string {
  if (place === 'inside') {
    // A bar that runs is dimmed towards the ground, whose colour would not be read on it.
    return span.status === 'running' ? palette.text : palette.ground;
  }
  return span.status === 'error' ? palette.error : palette.muted;
}

function labelOf(span: SpanRow, scene: WaterfallScene): string {
  if (scene.isWaiting(span)) {
    const since_ns = waitsSince(span) ?? span.offset_ns;
    return `waiting ${formatGrowing(scene.now_ns - since_ns)}`;
  }
  switch (span.status) {
    case 'running':
      return formatGrowing(scene.now_ns - span.offset_ns);
    case 'lost':
      return 'lost';
    case 'cancelled':
      return `cancelled · ${formatDuration(span.duration_ns ?? 0)}`;
    default:
      return formatDuration(span.duration_ns ?? 0);
  }
}

/** The labels of the time axis, above the rows. */
export function drawAxis(
  canvas: HTMLCanvasElement,
  scene: Pick<WaterfallScene, 'view' | 'width_px' | 'palette'>,
  height_px: number,
): void {
  const context = prepare(canvas, scene.width_px, height_px);
  if (context === undefined) return;
  context.font = scene.palette.font;
  context.textBaseline = 'middle';
  for (const offset of ticks(scene.view, scene.width_px / TICK_PX)) {
    const x = Math.round(toX(offset, scene.view, scene.width_px));
    context.fillStyle = scene.palette.line;
    context.fillRect(x, height_px - 6, 1, 6);
    context.fillStyle = scene.palette.muted;
    const text = offset === 0 ? '0' : formatDuration(offset);
    const width = context.measureText(text).width;
    if (x + 4 + width <= scene.width_px) context.fillText(text, x + 4, height_px / 2 + 1);
  }
}
