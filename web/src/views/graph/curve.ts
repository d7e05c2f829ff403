/** The curve of an edge through the points of its route. */
import type { LayoutOptions, Point } from '../../model/graph/graph-layout.ts';

/** An SVG path that leaves and reaches each point in the direction of the layers. */
export function pathOf(points: readonly Point[], direction: LayoutOptions['direction']): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${first.x} ${first.y}`];
  for (const [at, to] of rest.entries()) {
    const from = points[at] ?? first;
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    const turns =
      direction === 'right' ? `${x} ${from.y} ${x} ${to.y}` : `${from.x} ${y} ${to.x} ${y}`;
    parts.push(`C${turns} ${to.x} ${to.y}`);
  }
  return parts.join('');
}

/** A path around the four corners of a loop. */
export function loopPath([a, b, c, d]: readonly Point[]): string {
  return `M${a?.x} ${a?.y}C${b?.x} ${b?.y} ${c?.x} ${c?.y} ${d?.x} ${d?.y}`;
}

/** Position of the label: the middle of the route. */
export function middleOf(points: readonly Point[]): Point | undefined {
  const [low, high] = [points[(points.length - 1) >> 1], points[points.length >> 1]];
  if (low === undefined || high === undefined) return undefined;
  return { x: (low.x + high.x) / 2, y: (low.y + high.y) / 2 };
}
