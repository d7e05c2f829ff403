/**
 * Draws the minimap: work over time stacked by kind, errors above, waits below; a low line where
 * only spans above others run.
 */
import type { Minimap } from '../model/timeline/minimap.ts';
import { hatch, prepare } from './canvas.ts';
import type { Palette } from './palette.ts';

const ERRORS_PX = 6;
const WAITS_PX = 6;
const FRAMES_PX = 3;

export function drawMinimap(
  canvas: HTMLCanvasElement,
  { kinds, most, errors, waits, frames }: Minimap,
  palette: Palette,
  height_px: number,
): void {
  const context = prepare(canvas, errors.length, height_px);
  if (context === undefined) return;
  const room_px = height_px - ERRORS_PX - WAITS_PX;
  const floor_px = height_px - WAITS_PX;
  const top = new Float64Array(errors.length).fill(floor_px);
  for (const [kind, counts] of kinds) {
    context.fillStyle = palette.kind[kind];
    counts.forEach((count, x) => {
      if (count === 0) return;
      // What is there is seen, however little of the most it is.
      const height = Math.max((count / Math.max(most, 1)) * room_px, 1);
      const y = Math.max((top[x] ?? floor_px) - height, ERRORS_PX);
      context.fillRect(x, y, 1, (top[x] ?? floor_px) - y);
      top[x] = y;
    });
  }
  context.fillStyle = palette.lineStrong;
  frames.forEach((isFramed, x) => {
    const isAlone = isFramed === 1 && top[x] === floor_px;
    if (isAlone) context.fillRect(x, floor_px - FRAMES_PX, 1, FRAMES_PX);
  });
  context.fillStyle = palette.line;
  context.fillRect(0, floor_px, errors.length, 1);
  for (const { from, to } of runs(waits)) {
    const box = { x: from, y: floor_px + 1, width: Math.max(to - from, 2), height: WAITS_PX - 1 };
    hatch(context, box, palette.waiting);
  }
  context.fillStyle = palette.error;
  errors.forEach((isError, x) => {
    if (isError === 0) return;
    context.beginPath();
    context.moveTo(x - 3, 0);
    context.lineTo(x + 3, 0);
    context.lineTo(x, ERRORS_PX);
    context.fill();
    context.fillRect(x - 0.5, ERRORS_PX, 1, floor_px - ERRORS_PX);
  });
}

function* runs(marks: Uint8Array): Generator<{ from: number; to: number }> {
  for (let from = marks.indexOf(1); from >= 0; from = marks.indexOf(1, from)) {
    const to = marks.indexOf(0, from);
    yield { from, to: to < 0 ? marks.length : to };
    if (to < 0) return;
    from = to;
  }
}
