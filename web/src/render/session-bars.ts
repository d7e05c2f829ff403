/**
 * Draws sessions over time: one bar per interval, failed sessions at its bottom, waiting ones at
 * its top.
 */
import { hatch, prepare } from './canvas.ts';
import type { Palette } from './palette.ts';

interface BarCount {
  readonly total: number;
  readonly failed: number;
  readonly waiting: number;
}

const GAP_PX = 1;
/** Least height of a bar, so that one session among many stays visible. */
const LEAST_PX = 2;

export function drawSessionBars(
  canvas: HTMLCanvasElement,
  counts: readonly BarCount[],
  palette: Palette,
  width_px: number,
  height_px: number,
): void {
  const context = prepare(canvas, width_px, height_px);
  if (context === undefined || counts.length === 0) return;
  const most = Math.max(4, ...counts.map((count) => count.total));
  const step_px = width_px / counts.length;
  const bar_px = Math.max(1, step_px - GAP_PX);
  const tall = (count: number) =>
    count === 0 ? 0 : Math.max(LEAST_PX, (count / most) * (height_px - 3));
  context.fillStyle = palette.line;
  context.fillRect(0, height_px - 1, width_px, 1);
  counts.forEach(({ total, failed, waiting }, index) => {
    if (total === 0) return;
    const x = index * step_px;
    const [height, red, amber] = [tall(total), tall(failed), tall(waiting)];
    context.fillStyle = palette.quiet;
    context.fillRect(x, height_px - height, bar_px, height);
    context.fillStyle = palette.error;
    context.fillRect(x, height_px - red, bar_px, red);
    if (amber === 0) return;
    const box = { x, y: height_px - Math.max(height, red + amber), width: bar_px, height: amber };
    context.clearRect(box.x, box.y, box.width, box.height);
    hatch(context, box, palette.waiting);
  });
}
