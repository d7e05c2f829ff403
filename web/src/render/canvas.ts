/** A canvas in CSS pixels, sharp at any device pixel ratio. */

/** Size the canvas and return its cleared context, scaled so that 1 unit is 1 CSS pixel. */
export function prepare(
  canvas: HTMLCanvasElement,
  width_px: number,
  height_px: number,
): CanvasRenderingContext2D | undefined {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(width_px * ratio), Math.round(height_px * ratio)];
  if (width <= 0 || height <= 0) return undefined;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${width_px}px`;
    canvas.style.height = `${height_px}px`;
  }
  const context = canvas.getContext('2d') ?? undefined;
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, width_px, height_px);
  return context;
}

/** Diagonal stripes for waits: colour is never the only mark. */
export function hatch(
  context: CanvasRenderingContext2D,
  box: { x: number; y: number; width: number; height: number },
  colour: string,
): void {
  const STEP = 6;
  context.save();
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, 3);
  context.clip();
  context.globalAlpha = 0.28;
  context.fillStyle = colour;
  context.fillRect(box.x, box.y, box.width, box.height);
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  for (let x = box.x - box.height; x < box.x + box.width + box.height; x += STEP) {
    context.moveTo(x, box.y + box.height + 1);
    context.lineTo(x + box.height + 2, box.y - 1);
  }
  context.stroke();
  context.restore();
}
