/**
 * Graph of agents, their calls and their hand-offs.
 *
 * Nodes are agents by name; in a sequence, runs of agents, with edges numbered in order of time.
 */
import type { SpanRow } from '../../api/types.ts';
import { eachPlace, type Steps } from '../slices.ts';
import { waitedBelow } from '../statistics/span-times.ts';
import { countedUsage, type Usage } from '../statistics/usage.ts';
import { spanKey, subjectOf } from '../trace/span-key.ts';
import { waitsSince } from '../trace/span-status.ts';
import type { SpanTree } from '../trace/span-tree.ts';
import { type HandOff, handOffOf, looseName } from './hand-off.ts';

export type NodeKind = 'agent' | 'model' | 'tool';

export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  /** MCP server that a tool is of; undefined: of none, or of one without a name. */
  readonly server: string | undefined;
  /** Number of spans; 0 for an agent that was handed over to and never seen. */
  count: number;
  /** Number of its spans that failed; of an agent, also of its calls that are not drawn. */
  errors: number;
  running: number;
  /** Number of running spans without a running agent below them: those at work. */
  active: number;
  waiting: number;
  /** Time of the spans that ended, and how much of it was waiting. */
  took_ns: number;
  waited_ns: number;
  /** Tokens that it used, without its sub-agents. */
  tokens: number;
  cost_usd: number;
  /** Key of the span to open: the first that failed, else one that runs, else the longest. */
  open: string | undefined;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** `calls`: an agent below an agent; `uses`: a model or a tool. */
  readonly kind: 'calls' | 'handoff' | 'uses';
  count: number;
  errors: number;
  took_ns: number;
  /** Tokens used in all by the target. */
  tokens: number;
  /** Position in time, from 1, where each run of an agent is a node. */
  order: number | undefined;
  open: string | undefined;
}

export interface AgentGraph {
  /** Nodes in order of their first start. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Number of nodes that are left out because there are too many. */
  readonly leftOut: number;
}

export interface GraphOptions {
  readonly isSequence: boolean;
  readonly hasModels: boolean;
  readonly hasTools: boolean;
  /** Limit of nodes. */
  readonly most: number;
  /** Hand-offs that the service read from attributes, by span key. */
  readonly handOffs: ReadonlyMap<string, HandOff>;
  /** MCP servers by key of a span that reports a call of one of their tools. */
  readonly servers: ReadonlyMap<string, string>;
}

export const MOST_NODES = 200;

export function* agentGraphOf(tree: SpanTree, options: GraphOptions): Steps<AgentGraph> {
  const { rows } = tree;
  const drawing = new Drawing(tree, options);
  yield;
  yield* eachPlace(rows.length, (place) => drawing.own(place));
  // By start, so that nodes and edges are in the order in which they came to be.
  const order = [...rows.keys()].sort(
    (a, b) => (rows[a]?.offset_ns ?? 0) - (rows[b]?.offset_ns ?? 0) || a - b,
  );
  yield* eachPlace(rows.length, (index) => drawing.see(order[index] ?? 0));
  return drawing.finish();
}

interface PendingHandOff extends HandOff {
  readonly place: number;
}

interface Run {
  readonly place: number;
  readonly id: string;
}

class Drawing {
  private readonly tree: SpanTree;
  private readonly options: GraphOptions;
  private readonly counted: readonly (Usage | undefined)[];
  private readonly waited: ReadonlyMap<number, number>;
  /** Index → index of the nearest agent, the span itself among them; −1: none. */
  private readonly owner: Int32Array;
  private readonly isAboveAgent: Uint8Array;
  private readonly isBelowHandOff: Uint8Array;
  private readonly tokensBelow: Float64Array;
  private readonly nodes = new Map<string, GraphNode>();
  private readonly edges = new Map<string, GraphEdge>();
  private readonly handOffs: PendingHandOff[] = [];
  /** Runs by loose name, in order of time. */
  private readonly runs = new Map<string, Run[]>();
  /** Index of a tool call → its MCP server. */
  private readonly serverOf: ReadonlyMap<number, string>;
  /** Node → priority of the span that it opens. */
  private readonly openRank = new Map<string, number>();

  constructor(tree: SpanTree, options: GraphOptions) {
    this.tree = tree;
    this.options = options;
    this.counted = countedUsage(tree);
    this.waited = waitedBelow(tree);
    this.serverOf = serversOfTools(tree, options.servers);
    this.owner = new Int32Array(tree.rows.length).fill(-1);
    this.isAboveAgent = new Uint8Array(tree.rows.length);
    this.isBelowHandOff = new Uint8Array(tree.rows.length);
    this.tokensBelow = new Float64Array(tree.rows.length);
    for (let place = tree.rows.length - 1; place >= 0; place -= 1) {
      const used = this.counted[place];
      this.tokensBelow[place] =
        (this.tokensBelow[place] ?? 0) + (used ? used.input_tokens + used.output_tokens : 0);
      const parent = tree.parent[place] ?? -1;
      if (parent < 0) continue;
      this.tokensBelow[parent] = (this.tokensBelow[parent] ?? 0) + (this.tokensBelow[place] ?? 0);
      const isAgent = tree.rows[place]?.kind === 'agent' || this.isAboveAgent[place] === 1;
      if (isAgent) this.isAboveAgent[parent] = 1;
    }
  }

  /** Set the agent that a span is of; call it for a parent before its children. */
  own(place: number): void {
    const row = this.tree.rows[place];
    const parent = this.tree.parent[place] ?? -1;
    const isAgent = row?.kind === 'agent' && row.duplicate_of === null;
    this.owner[place] = isAgent ? place : parent < 0 ? -1 : (this.owner[parent] ?? -1);
    if (parent >= 0 && (this.isBelowHandOff[parent] === 1 || this.isHandOff(parent))) {
      this.isBelowHandOff[place] = 1;
    }
  }

  see(place: number): void {
    const row = this.tree.rows[place];
    if (row === undefined || row.duplicate_of !== null) return;
    const handOff = this.handOffAt(place);
    if (row.kind === 'agent') this.seeAgent(place, row);
    else if (handOff !== undefined) {
      if (this.isBelowHandOff[place] === 0) this.handOffs.push({ ...handOff, place });
    } else if (row.kind === 'llm' || row.kind === 'embedding') {
      if (this.options.hasModels) this.seeUse(place, row, 'model', row.model ?? row.name);
      else this.seeUndrawn(place, row);
    } else if (row.kind === 'tool') {
      // A tool with an agent below it is how that agent was called: the edge says so.
      const isDrawn = this.options.hasTools && this.isAboveAgent[place] === 0;
      if (isDrawn) this.seeUse(place, row, 'tool', subjectOf(row));
      else this.seeUndrawn(place, row);
    }
    const owner = this.owner[place] ?? -1;
    const used = this.counted[place];
    const node = owner < 0 ? undefined : this.nodes.get(this.idOf(owner));
    if (node !== undefined && used !== undefined) {
      node.tokens += used.input_tokens + used.output_tokens;
      node.cost_usd += used.cost_nanodollars / 1e9;
    }
    if (node !== undefined && waitsSince(row) !== undefined) node.waiting += 1;
  }

  finish(): AgentGraph {
    for (const one of this.handOffs) this.drawHandOff(one);
    this.markActive();
    const edges = [...this.edges.values()];
    if (this.options.isSequence) number(edges, this.tree.rows);
    return bounded([...this.nodes.values()], edges, this.options.most);
  }

  private isHandOff(place: number): boolean {
    return this.handOffAt(place) !== undefined;
  }

  private handOffAt(place: number): HandOff | undefined {
    const row = this.tree.rows[place];
    if (row === undefined || row.kind === 'agent') return undefined;
    return this.options.handOffs.get(spanKey(row)) ?? handOffOf(row);
  }

  private idOf(place: number): string {
    const row = this.tree.rows[place];
    if (row === undefined) return '';
    return this.options.isSequence ? `run ${spanKey(row)}` : `agent ${subjectOf(row)}`;
  }

  private seeAgent(place: number, row: SpanRow): void {
    const name = subjectOf(row);
    const id = this.idOf(place);
    const runs = this.runsOf(name);
    runs.push({ place, id });
    this.runs.set(looseName(name), runs);
    this.count(this.node(id, 'agent', name), place, row);
    const above = this.ownerAbove(place);
    if (above >= 0) this.connect(this.idOf(above), id, 'calls', place, row);
  }

  private seeUse(place: number, row: SpanRow, kind: 'model' | 'tool', name: string): void {
    const server = kind === 'tool' ? this.serverOf.get(place) : undefined;
    // Two servers may have tools of one name.
    const id = server === undefined ? `${kind} ${name}` : `${kind} ${server} ${name}`;
    const node = this.node(id, kind, name, server);
    this.count(node, place, row);
    node.tokens += this.tokensBelow[place] ?? 0;
    node.cost_usd += (this.counted[place]?.cost_nanodollars ?? 0) / 1e9;
    if (waitsSince(row) !== undefined) node.waiting += 1;
    const owner = this.owner[place] ?? -1;
    if (owner >= 0) this.connect(this.idOf(owner), id, 'uses', place, row);
  }

  /** Count the failure of a call that has no node at the agent that called. */
  private seeUndrawn(place: number, row: SpanRow): void {
    const node = this.nodes.get(this.idOf(this.owner[place] ?? -1));
    if (node === undefined || row.status !== 'error') return;
    node.errors += 1;
    this.offer(node, row, Number.POSITIVE_INFINITY);
  }

  private ownerAbove(place: number): number {
    const parent = this.tree.parent[place] ?? -1;
    return parent < 0 ? -1 : (this.owner[parent] ?? -1);
  }

  private node(id: string, kind: NodeKind, name: string, server?: string): GraphNode {
    const known = this.nodes.get(id);
    if (known !== undefined) return known;
    const zero = {
      count: 0,
      errors: 0,
      running: 0,
      active: 0,
      waiting: 0,
      took_ns: 0,
      waited_ns: 0,
    };
    const node = { id, kind, name, server, ...zero, tokens: 0, cost_usd: 0, open: undefined };
    this.nodes.set(id, node);
    return node;
  }

  private count(node: GraphNode, place: number, row: SpanRow): void {
    const took_ns = row.duration_ns ?? 0;
    const waited_ns = row.duration_ns === null ? 0 : (this.waited.get(place) ?? 0);
    node.count += 1;
    if (row.status === 'error') node.errors += 1;
    if (row.status === 'running') node.running += 1;
    node.took_ns += took_ns;
    node.waited_ns += waited_ns;
    const rank =
      row.status === 'error'
        ? Number.POSITIVE_INFINITY
        : row.status === 'running'
          ? Number.MAX_VALUE
          : took_ns - waited_ns;
    this.offer(node, row, rank);
  }

  /** Have a node open a span, unless it opens one of the same rank or a higher one. */
  private offer(node: GraphNode, row: SpanRow, rank: number): void {
    if (rank <= (this.openRank.get(node.id) ?? -1)) return;
    this.openRank.set(node.id, rank);
    node.open = spanKey(row);
  }

  private connect(
    from: string,
    to: string,
    kind: GraphEdge['kind'],
    place: number,
    row: SpanRow,
  ): void {
    const id = `${kind} ${from} ${to}`;
    const zero = { count: 0, errors: 0, took_ns: 0, tokens: 0, order: undefined };
    const edge = this.edges.get(id) ?? { id, from, to, kind, ...zero, open: undefined };
    this.edges.set(id, edge);
    edge.count += 1;
    edge.took_ns += row.duration_ns ?? 0;
    edge.tokens += this.tokensBelow[place] ?? 0;
    const isFirstError = row.status === 'error' && edge.errors === 0;
    if (row.status === 'error') edge.errors += 1;
    if (edge.open === undefined || isFirstError) edge.open = spanKey(row);
  }

  private drawHandOff({ place, from, to }: PendingHandOff): void {
    const row = this.tree.rows[place];
    if (row === undefined) return;
    const source = this.sourceOf(place, row, from);
    const target = this.targetOf(row, to);
    if (source !== undefined) this.connect(source, target, 'handoff', place, row);
  }

  private sourceOf(place: number, row: SpanRow, from: string | undefined): string | undefined {
    const owner = this.owner[place] ?? -1;
    const above = this.tree.rows[owner];
    const ownerName = above === undefined ? '' : subjectOf(above);
    if (owner >= 0 && (from === undefined || looseName(from) === looseName(ownerName))) {
      return this.idOf(owner);
    }
    if (from === undefined) return undefined;
    // The last run of it that had begun by then.
    const runs = this.runsOf(from);
    const begun = runs.filter((run) => this.startOf(run.place) <= row.offset_ns);
    return (begun.at(-1) ?? runs[0])?.id ?? this.node(`agent ${from}`, 'agent', from).id;
  }

  private targetOf(row: SpanRow, to: string): string {
    const runs = this.runsOf(to);
    const next = runs.find((run) => this.startOf(run.place) >= row.offset_ns);
    return (next ?? runs.at(-1))?.id ?? this.node(`agent ${to}`, 'agent', to).id;
  }

  private runsOf(name: string): Run[] {
    return this.runs.get(looseName(name)) ?? [];
  }

  private startOf(place: number): number {
    return this.tree.rows[place]?.offset_ns ?? 0;
  }

  private markActive(): void {
    const running = [...this.runs.values()]
      .flat()
      .filter(({ place }) => this.tree.rows[place]?.status === 'running');
    const above = new Set(running.map(({ place }) => this.ownerAbove(place)));
    for (const { place, id } of running) {
      const node = this.nodes.get(id);
      if (node !== undefined && !above.has(place)) node.active += 1;
    }
  }
}

/** Servers of tool calls: as the call reports it, or an exchange below it. */
function serversOfTools(
  { rows, keys, parent }: SpanTree,
  servers: ReadonlyMap<string, string>,
): Map<number, string> {
  const found = new Map<number, string>();
  if (servers.size === 0) return found;
  const placeOf = new Map(keys.map((key, place) => [key, place]));
  for (const [key, server] of servers) {
    let place = placeOf.get(key) ?? -1;
    const repeats = rows[place]?.duplicate_of ?? null;
    if (repeats !== null) place = placeOf.get(`${rows[place]?.trace_id}.${repeats}`) ?? place;
    while (place >= 0 && rows[place]?.kind !== 'tool') place = parent[place] ?? -1;
    if (place >= 0) found.set(place, server);
  }
  return found;
}

function number(edges: readonly GraphEdge[], rows: readonly SpanRow[]): void {
  const starts = new Map(rows.map((row) => [spanKey(row), row.offset_ns]));
  const startOf = (edge: GraphEdge) => starts.get(edge.open ?? '') ?? 0;
  const ordered = edges
    .filter(({ kind }) => kind !== 'uses')
    .sort((a, b) => startOf(a) - startOf(b));
  for (const [at, edge] of ordered.entries()) edge.order = at + 1;
}

/** The nodes that matter most: agents before what they use, then those with most spans. */
function bounded(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  most: number,
): AgentGraph {
  if (nodes.length <= most) return { nodes, edges, leftOut: 0 };
  const ranked = nodes.toSorted(
    (a, b) =>
      Number(b.kind === 'agent') - Number(a.kind === 'agent') ||
      Number(b.errors > 0) - Number(a.errors > 0) ||
      b.count - a.count,
  );
  const shown = new Set(ranked.slice(0, most).map(({ id }) => id));
  return {
    nodes: nodes.filter(({ id }) => shown.has(id)),
    edges: edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    leftOut: nodes.length - most,
  };
}
