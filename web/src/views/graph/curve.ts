/** The curve of an edge, in coordinates of the plane. */
import type { Layout, LayoutEdge, LayoutOptions } from '../../model/graph/graph-layout.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Curve {
  readonly path: string;
  /** Position of the label. */
  readonly middle: Point;
}

/** The curve; undefined if one of its ends is not shown. */
export function curveOf(
  { from, to }: LayoutEdge,
  { places }: Layout,
  size: Size,
  direction: LayoutOptions['direction'],
): Curve | undefined {
  const [a, b] = [places.get(from), places.get(to)];
  if (a === undefined || b === undefined) return undefined;
  const isRight = direction === 'right';
  // One case for both directions: along is where the layers follow each other.
  const turn = (point: Point): Point => (isRight ? point : { x: point.y, y: point.x });
  const [along, across] = isRight ? [size.width, size.height] : [size.height, size.width];
  const [start, end] = [turn(a), turn(b)];
  const points = (() => {
    if (from === to) return loop(start, along);
    if (b.layer > a.layer) return onward(start, end, along, across);
    return backward(start, end, along, across);
  })().map(turn) as Four;
  return { path: pathOf(points), middle: middleOf(points) };
}

type Four = [Point, Point, Point, Point];

/** Curve from the front of one node to the back of a node further on. */
function onward(a: Point, b: Point, along: number, across: number): Four {
  const [start, end] = [
    { x: a.x + along, y: a.y + across / 2 },
    { x: b.x, y: b.y + across / 2 },
  ];
  const pull = Math.max(30, (end.x - start.x) / 2);
  return [start, { x: start.x + pull, y: start.y }, { x: end.x - pull, y: end.y }, end];
}

/** Curve around below, so that an edge back differs from an edge onward. */
function backward(a: Point, b: Point, along: number, across: number): Four {
  const isSideways = a.x === b.x;
  const down = b.y >= a.y;
  if (isSideways) {
    const x = a.x + along * 0.75;
    const [y1, y2] = down ? [a.y + across, b.y] : [a.y, b.y + across];
    const bow = Math.abs(y2 - y1) > across ? 60 : 0;
    return [
      { x, y: y1 },
      { x: x + bow, y: y1 + (y2 - y1) / 3 },
      { x: x + bow, y: y1 + (2 * (y2 - y1)) / 3 },
      { x, y: y2 },
    ];
  }
  const [start, end] = [
    { x: a.x + along * 0.35, y: a.y + across },
    { x: b.x + along * 0.65, y: b.y + across },
  ];
  const deep = Math.max(start.y, end.y) + 56;
  return [start, { x: start.x, y: deep }, { x: end.x, y: deep }, end];
}

function loop(a: Point, along: number): Four {
  return [
    { x: a.x + along * 0.6, y: a.y },
    { x: a.x + along * 0.6, y: a.y - 34 },
    { x: a.x + along * 0.85, y: a.y - 34 },
    { x: a.x + along * 0.85, y: a.y },
  ];
}

function pathOf([a, b, c, d]: Four): string {
  return `M${a.x} ${a.y}C${b.x} ${b.y} ${c.x} ${c.y} ${d.x} ${d.y}`;
}

function middleOf([a, b, c, d]: Four): Point {
  return { x: (a.x + 3 * b.x + 3 * c.x + d.x) / 8, y: (a.y + 3 * b.y + 3 * c.y + d.y) / 8 };
}
