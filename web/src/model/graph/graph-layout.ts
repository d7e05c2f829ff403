/**
 * Layout of a graph in layers, callers before what they call.
 *
 * Layers by longest path with the edges that close circles turned around, then a few sweeps that
 * put each node near those it is connected with (Sugiyama, Tagawa, Toda 1981, without its dummy
 * nodes). Same input, same places; the time is bounded by the number of sweeps.
 */

export interface LayoutEdge {
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
  /** Limit of nodes in a line: a larger layer is folded into several lines. */
  readonly mostInLine: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly layer: number;
  /** Position in its layer. */
  readonly rank: number;
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  readonly width: number;
  readonly height: number;
}

const SWEEPS = 6;

export function layoutGraph(
  ids: readonly string[],
  edges: readonly LayoutEdge[],
  options: LayoutOptions,
): Layout {
  const forward = withoutCircles(ids, edges);
  const layers = orderedLayers(ids, forward);
  return placed(layers, options);
}

/** Edges as pairs of indexes into `ids`, with those that close a circle turned around. */
function withoutCircles(ids: readonly string[], edges: readonly LayoutEdge[]): [number, number][] {
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  const next: number[][] = ids.map(() => []);
  for (const { from, to } of edges) {
    const [a, b] = [placeOf.get(from), placeOf.get(to)];
    if (a === undefined || b === undefined || a === b || next[a]?.includes(b)) continue;
    next[a]?.push(b);
  }
  const found: [number, number][] = [];
  const state = new Uint8Array(ids.length); // 0: not visited, 1: on the path, 2: done
  for (const start of ids.keys()) {
    if (state[start] !== 0) continue;
    const path: [place: number, at: number][] = [[start, 0]];
    state[start] = 1;
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const [place, at] = top;
      const to = next[place]?.[at];
      if (to === undefined) {
        state[place] = 2;
        path.pop();
        continue;
      }
      top[1] += 1;
      found.push(state[to] === 1 ? [to, place] : [place, to]);
      if (state[to] === 0) {
        state[to] = 1;
        path.push([to, 0]);
      }
    }
  }
  return found;
}

function orderedLayers(ids: readonly string[], edges: readonly [number, number][]): string[][] {
  const after: number[][] = ids.map(() => []);
  const before: number[][] = ids.map(() => []);
  const open = new Uint32Array(ids.length);
  for (const [from, to] of edges) {
    after[from]?.push(to);
    before[to]?.push(from);
    open[to] = (open[to] ?? 0) + 1;
  }
  const layer = new Uint32Array(ids.length);
  const ready = [...ids.keys()].filter((place) => open[place] === 0);
  for (let place = ready.shift(); place !== undefined; place = ready.shift()) {
    for (const to of after[place] ?? []) {
      layer[to] = Math.max(layer[to] ?? 0, (layer[place] ?? 0) + 1);
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) ready.push(to);
    }
  }
  const layers: number[][] = [];
  for (const place of ids.keys()) {
    const at = layer[place] ?? 0;
    while (layers.length <= at) layers.push([]);
    layers[at]?.push(place);
  }
  const rank = new Float64Array(ids.length);
  const remember = () => {
    for (const line of layers) for (const [at, place] of line.entries()) rank[place] = at;
  };
  remember();
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const neighbours = sweep % 2 === 0 ? before : after;
    const middle = (place: number): number => {
      const near = neighbours[place] ?? [];
      if (near.length === 0) return rank[place] ?? 0;
      return near.reduce((sum, one) => sum + (rank[one] ?? 0), 0) / near.length;
    };
    for (const line of sweep % 2 === 0 ? layers : layers.toReversed()) {
      const middles = new Map(line.map((place) => [place, middle(place)]));
      line.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0) || a - b);
      for (const [at, place] of line.entries()) rank[place] = at;
    }
  }
  return layers.map((line) => line.map((place) => ids[place] ?? ''));
}

function placed(layers: readonly string[][], options: LayoutOptions): Layout {
  const { direction, width, height, layerGap, nodeGap, mostInLine } = options;
  const isRight = direction === 'right';
  const [along, across] = isRight ? [width, height] : [height, width];
  const longest = Math.max(0, ...layers.map((line) => Math.min(line.length, mostInLine)));
  const room = longest * (across + nodeGap) - nodeGap;
  const places = new Map<string, Place>();
  let start = 0;
  for (const [layer, line] of layers.entries()) {
    const folds = Math.ceil(line.length / mostInLine);
    const inLine = Math.ceil(line.length / Math.max(1, folds));
    for (const [rank, id] of line.entries()) {
      const [fold, at] = [Math.floor(rank / inLine), rank % inLine];
      const count = Math.min(inLine, line.length - fold * inLine);
      const first = (room - (count * (across + nodeGap) - nodeGap)) / 2;
      const a = start + fold * (along + nodeGap);
      const b = first + at * (across + nodeGap);
      places.set(id, isRight ? { x: a, y: b, layer, rank } : { x: b, y: a, layer, rank });
    }
    start += Math.max(1, folds) * (along + nodeGap) - nodeGap + layerGap;
  }
  const length = Math.max(0, start - layerGap);
  const breadth = Math.max(0, room);
  return isRight
    ? { places, width: length, height: breadth }
    : { places, width: breadth, height: length };
}

/** Target of an arrow key: the nearest node along an edge, or the next in the same layer. */
export function neighbourOf(
  id: string,
  key: string,
  { places }: Layout,
  edges: readonly LayoutEdge[],
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
