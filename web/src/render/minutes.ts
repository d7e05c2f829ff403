/** Draws sessions per minute: one bar a minute, the newest at the right. */
import { prepare } from './canvas.ts';
import type { Palette } from './palette.ts';

export interface MinuteCount {
  readonly total: number;
  readonly failed: number;
}

export function drawMinutes(
  canvas: HTMLCanvasElement,
  counts: readonly MinuteCount[],
  palette: Palette,
  width_px: number,
  height_px: number,
): void {
  const context = prepare(canvas, width_px, height_px);
  if (context === undefined) return;
  const most = Math.max(4, ...counts.map((count) => count.total));
  const step_px = width_px / counts.length;
  counts.forEach(({ total, failed }, minute) => {
    const x = minute * step_px;
    const height = (total / most) * (height_px - 2);
    const red = (failed / most) * (height_px - 2);
    context.fillStyle = palette.line;
    context.fillRect(x, height_px - 1, step_px - 1, 1);
    context.fillStyle = palette.quiet;
    context.fillRect(x, height_px - height, step_px - 1, height);
    context.fillStyle = palette.error;
    context.fillRect(x, height_px - red, step_px - 1, red);
  });
}
