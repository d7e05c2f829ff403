/** Layout of a graph in layers, callers before what they call, with a route for each edge. */
import { Graph, layout } from '@dagrejs/dagre';

export interface LayoutEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

export interface LayoutOptions {
  /** Direction in which the layers follow each other. */
  readonly direction: 'right' | 'down';
  readonly width: number;
  readonly height: number;
  /** Distance between layers, and between nodes of one. */
  readonly layerGap: number;
  readonly nodeGap: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The top left corner of a node. */
export interface Place extends Point {
  readonly layer: number;
  /** Position in its layer. */
  readonly rank: number;
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  /** Points from the border of one node to that of the other, by the edge's id. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
  /** Boxes around the nodes of each group. */
  readonly boxes: ReadonlyMap<string, Rectangle>;
  readonly width: number;
  readonly height: number;
}

export interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

const LOOP_PX = 34;

/**
 * Edges whose ends are not both among `ids` have no route. `groups`: node → its group, whose nodes
 * stand together.
 */
export function layoutGraph(
  ids: readonly string[],
  edges: readonly LayoutEdge[],
  { direction, width, height, layerGap, nodeGap }: LayoutOptions,
  groups: ReadonlyMap<string, string> = new Map(),
): Layout {
  const graph = new Graph({ multigraph: true, compound: groups.size > 0 });
  const rankdir = direction === 'right' ? 'LR' : 'TB';
  graph.setGraph({ rankdir, ranksep: layerGap, nodesep: nodeGap, edgesep: nodeGap / 2 });
  for (const id of ids) graph.setNode(id, { width, height });
  const names = new Set(groups.values());
  for (const name of names) graph.setNode(groupId(name), {});
  for (const [id, name] of groups) if (graph.hasNode(id)) graph.setParent(id, groupId(name));
  const drawn = edges.filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to));
  for (const { id, from, to } of drawn) if (from !== to) graph.setEdge(from, to, {}, id);
  layout(graph);
  const isRight = direction === 'right';
  const size = { width: graph.graph().width ?? 0, height: graph.graph().height ?? 0 };
  const isMirrored = isAgainstOrder(ids, graph, isRight ? 'y' : 'x');
  const turned = ({ x, y }: Point): Point =>
    !isMirrored ? { x, y } : isRight ? { x, y: size.height - y } : { x: size.width - x, y };
  const middles = new Map(ids.map((id) => [id, turned(graph.node(id) as Point)]));
  const places = placesOf(middles, { isRight, width, height });
  const routes = new Map<string, readonly Point[]>();
  for (const { id, from, to } of drawn) {
    const [start, end] = [places.get(from), places.get(to)];
    if (start === undefined || end === undefined) continue;
    if (from === to) routes.set(id, loopOver(start, width));
    else {
      const bends = graph.edge(from, to, id).points.slice(1, -1).map(turned);
      routes.set(id, throughSides(bends, start, end, { isRight, width, height }));
    }
  }
  const boxes = new Map<string, Rectangle>();
  for (const name of names) {
    const box = graph.node(groupId(name)) as Rectangle;
    const middle = turned(box);
    const [x, y] = [middle.x - box.width / 2, middle.y - box.height / 2];
    boxes.set(name, { x, y, width: box.width, height: box.height });
  }
  return { places, routes, boxes, ...size };
}

/** Id of a group in the layout, which no node has. */
function groupId(name: string): string {
  return `\0${name}`;
}

interface Box {
  readonly isRight: boolean;
  readonly width: number;
  readonly height: number;
}

/** Whether most nodes of a layer are in reverse order: mirrored, as few edges cross. */
function isAgainstOrder(ids: readonly string[], graph: Graph, across: 'x' | 'y'): boolean {
  const along = across === 'y' ? 'x' : 'y';
  let against = 0;
  for (const [at, id] of ids.entries()) {
    const before = graph.node(ids[at - 1] ?? '') as Point | undefined;
    const node = graph.node(id) as Point;
    if (before === undefined || before[along] !== node[along]) continue;
    against += node[across] < before[across] ? 1 : -1;
  }
  return against > 0;
}

/** A route from the middle of one node's side, through its bends, to the middle of another's. */
function throughSides(bends: readonly Point[], from: Place, to: Place, box: Box): Point[] {
  const { isRight, width, height } = box;
  const side = ({ x, y }: Place, isFar: boolean): Point =>
    isRight
      ? { x: isFar ? x + width : x, y: y + height / 2 }
      : { x: x + width / 2, y: isFar ? y + height : y };
  const isOnward = from.layer <= to.layer;
  return [side(from, isOnward), ...bends, side(to, !isOnward)];
}

/** A loop above a node: dagre's is beside its node where the layers go to the right. */
function loopOver({ x, y }: Point, width: number): Point[] {
  const [left, right] = [x + width * 0.6, x + width * 0.85];
  return [
    { x: left, y },
    { x: left, y: y - LOOP_PX },
    { x: right, y: y - LOOP_PX },
    { x: right, y },
  ];
}

/** Places by the middles of nodes, which are in order of their ids. */
function placesOf(middles: ReadonlyMap<string, Point>, box: Box): Map<string, Place> {
  const [along, across] = box.isRight ? (['x', 'y'] as const) : (['y', 'x'] as const);
  const layers = [...new Set([...middles.values()].map((node) => node[along]))];
  layers.sort((a, b) => a - b);
  const next = layers.map(() => 0);
  const places = new Map<string, Place>();
  for (const [id, node] of [...middles].sort(([, a], [, b]) => a[across] - b[across])) {
    const layer = layers.indexOf(node[along]);
    const rank = next[layer] ?? 0;
    next[layer] = rank + 1;
    places.set(id, { x: node.x - box.width / 2, y: node.y - box.height / 2, layer, rank });
  }
  return places;
}

/** Target of an arrow key: the nearest node along an edge, or the next in the same layer. */
export function neighbourOf(
  id: string,
  key: string,
  { places }: Layout,
  edges: readonly Pick<LayoutEdge, 'from' | 'to'>[],
  direction: LayoutOptions['direction'],
): string | undefined {
  const here = places.get(id);
  if (here === undefined) return undefined;
  const keys =
    direction === 'right'
      ? { ArrowRight: 'on', ArrowLeft: 'back', ArrowDown: 'next', ArrowUp: 'previous' }
      : { ArrowDown: 'on', ArrowUp: 'back', ArrowRight: 'next', ArrowLeft: 'previous' };
  const move = keys[key as keyof typeof keys];
  const distance = (other: string) => {
    const there = places.get(other);
    return there === undefined
      ? Number.POSITIVE_INFINITY
      : Math.hypot(there.x - here.x, there.y - here.y);
  };
  const nearest = (found: readonly string[]) =>
    found
      .filter((other) => other !== id && places.has(other))
      .toSorted((a, b) => distance(a) - distance(b))[0];
  switch (move) {
    case 'on':
      return nearest(edges.filter(({ from }) => from === id).map(({ to }) => to));
    case 'back':
      return nearest(edges.filter(({ to }) => to === id).map(({ from }) => from));
    case 'next':
    case 'previous': {
      const wanted = here.rank + (move === 'next' ? 1 : -1);
      for (const [other, { layer, rank }] of places) {
        if (layer === here.layer && rank === wanted) return other;
      }
    }
  }
  return undefined;
}
