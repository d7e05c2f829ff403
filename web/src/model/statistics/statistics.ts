/**
 * Where the time, the tokens and the money of a session went.
 *
 * The service counts the same from the same rows (`inspector/service/analysis/statistics.py`);
 * `tests/golden/statistics.json` holds both to the same numbers. Rows are in the wire's shape.
 */
import type {
  AgentRun,
  Operation,
  RollUp,
  SpanKind,
  SpanRow,
  Times,
  Use,
} from '../../api/types.ts';
import { spanKey } from '../trace/span-key.ts';
import {
  compare,
  everySlice,
  type Forest,
  forestOf,
  ownTime,
  pacer,
  type Slices,
  topDown,
  waitedBelow,
} from './statistics-forest.ts';

export interface Statistics {
  /** By kind and name, the largest own time first. */
  readonly operations: readonly Operation[];
  /** What costs most first, as the others. */
  readonly models: readonly RollUp[];
  readonly tools: readonly RollUp[];
  readonly agents: readonly RollUp[];
  /** What the whole session used. */
  readonly used: Use;
  readonly own_ns: number;
  /** What was counted; of each, what counts of its use, and its own time if it has ended. */
  readonly rows: readonly SpanRow[];
  readonly counted: readonly (Used | undefined)[];
  readonly own: readonly (number | undefined)[];
}

export interface Used {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Whole, so that the order of adding is no matter. */
  readonly cost_nanodollars: number;
}

const NANODOLLARS = 1e9;
const NOTHING: Used = { input_tokens: 0, output_tokens: 0, cost_nanodollars: 0 };

/** Agents by the key of a run, where the service knows another name than the span's. */
export type AgentNames = ReadonlyMap<string, string>;

export function* statisticsOf(
  rows: readonly SpanRow[],
  named: AgentNames = new Map(),
): Slices<Statistics> {
  const forest = yield* forestOf(rows);
  const own: (number | undefined)[] = [];
  yield* everySlice(rows.length, (place) => own.push(ownTime(forest, place)));
  const counted = countedUse(forest);
  yield;
  const count = new Counting(forest, waitedBelow(forest), own, counted, sumsBelow(forest, counted));
  yield;
  const operations = yield* count.operations();
  const models = yield* count.models();
  const tools = yield* count.nested('tool', (row) => toolName(row.name));
  const agents = yield* count.nested('agent', (row) => agentOf(row, named));
  const own_ns = operations.reduce((sum, one) => sum + one.own_ns, 0);
  return {
    operations,
    models,
    tools,
    agents,
    used: use(sumOf(counted)),
    own_ns,
    rows,
    counted,
    own,
  };
}

/**
 * What each span used, where that counts: where nothing below it says that it used anything. A
 * span that shows an operation again never counts; what it says stands for one that says nothing.
 */
export function countedUse({ rows, parents }: Forest): (Used | undefined)[] {
  const used = rows.map((row) => (row.duplicate_of === null ? told(row) : undefined));
  const places = new Map<string, number>();
  const twins = rows.filter(({ duplicate_of }) => duplicate_of !== null);
  if (twins.length > 0) {
    for (const [place, row] of rows.entries()) places.set(spanKey(row), place);
  }
  for (const twin of twins) {
    const shown = places.get(`${twin.trace_id}.${twin.duplicate_of}`);
    if (shown === undefined || rows[shown]?.duplicate_of !== null) continue;
    used[shown] ??= told(twin);
  }
  const isAbove = new Uint8Array(rows.length);
  used.forEach((one, place) => {
    if (one === undefined) return;
    for (let above = parents[place] ?? -1; above >= 0 && isAbove[above] === 0; ) {
      isAbove[above] = 1;
      above = parents[above] ?? -1;
    }
  });
  return used.map((one, place) => (isAbove[place] === 1 ? undefined : one));
}

function told({ input_tokens, output_tokens, cost_usd }: SpanRow): Used | undefined {
  if (input_tokens === null && output_tokens === null && cost_usd === null) return undefined;
  return {
    input_tokens: input_tokens ?? 0,
    output_tokens: output_tokens ?? 0,
    cost_nanodollars: Math.round((cost_usd ?? 0) * NANODOLLARS),
  };
}

function sumsBelow(forest: Forest, counted: readonly (Used | undefined)[]): Used[] {
  const sums = counted.map((one) => one ?? NOTHING);
  for (const place of topDown(forest).reverse()) {
    const parent = forest.parents[place] ?? -1;
    const [above, below] = [sums[parent], sums[place]];
    if (above !== undefined && below !== undefined && below !== NOTHING) {
      sums[parent] = add(above, below);
    }
  }
  return sums;
}

function add(a: Used, b: Used): Used {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost_nanodollars: a.cost_nanodollars + b.cost_nanodollars,
  };
}

function sumOf(used: Iterable<Used | undefined>): Used {
  let sum = NOTHING;
  for (const one of used) if (one !== undefined) sum = add(sum, one);
  return sum;
}

function use({ input_tokens, output_tokens, cost_nanodollars }: Used): Use {
  return { input_tokens, output_tokens, cost_usd: cost_nanodollars / NANODOLLARS };
}

interface Group {
  readonly places: number[];
  /** Those below no other of their name. */
  readonly outermost: number[];
  used: Used;
  model_calls: number;
  tool_calls: number;
}

class Counting {
  private readonly forest: Forest;
  private readonly waited: ReadonlyMap<number, number>;
  private readonly own: readonly (number | undefined)[];
  private readonly counted: readonly (Used | undefined)[];
  private readonly below: readonly Used[];

  constructor(
    forest: Forest,
    waited: ReadonlyMap<number, number>,
    own: readonly (number | undefined)[],
    counted: readonly (Used | undefined)[],
    below: readonly Used[],
  ) {
    this.forest = forest;
    this.waited = waited;
    this.own = own;
    this.counted = counted;
    this.below = below;
  }

  *operations(): Slices<Operation[]> {
    const { rows } = this.forest;
    const groups = new Map<string, number[]>();
    yield* everySlice(rows.length, (place) => {
      const row = rows[place];
      if (row?.duplicate_of === null) put(groups, `${row.kind} ${row.name}`, place);
    });
    const found: Operation[] = [];
    for (const places of groups.values()) {
      const first = rows[places[0] ?? 0];
      if (first === undefined) continue;
      found.push({
        kind: first.kind,
        name: first.name,
        ...this.counts(places),
        own_ns: places.reduce((sum, place) => sum + (this.own[place] ?? 0), 0),
        times: this.times(places),
        used: use(sumOf(places.map((place) => this.counted[place]))),
      });
      yield;
    }
    return found.sort(
      (a, b) => b.own_ns - a.own_ns || compare(a.kind, b.kind) || compare(a.name, b.name),
    );
  }

  *models(): Slices<RollUp[]> {
    const { rows } = this.forest;
    const groups = new Map<string, number[]>();
    yield* everySlice(rows.length, (place) => {
      const row = rows[place];
      if (row?.duplicate_of !== null) return;
      if (isModel(row.kind) || this.counted[place] !== undefined) {
        put(groups, row.model ?? '', place);
      }
    });
    const found = [...groups].map(([name, places]) => {
      const used = use(sumOf(places.map((place) => this.counted[place])));
      const model_calls = places.filter((place) => isModel(rows[place]?.kind)).length;
      const times = this.times(places);
      return {
        name,
        ...this.counts(places),
        times,
        used,
        used_in_all: used,
        model_calls,
        tool_calls: 0,
      };
    });
    return found.sort(dearestFirst);
  }

  *nested(kind: SpanKind, nameOf: (row: SpanRow) => string): Slices<RollUp[]> {
    const groups = yield* this.groups(kind, nameOf);
    const found: RollUp[] = [];
    for (const [name, group] of groups) {
      group.places.sort((a, b) => a - b);
      found.push({
        name,
        ...this.counts(group.places),
        times: this.times(group.places),
        used: use(group.used),
        used_in_all: use(sumOf(group.outermost.map((place) => this.below[place]))),
        model_calls: group.model_calls,
        tool_calls: group.tool_calls,
      });
    }
    return found.sort(dearestFirst);
  }

  /** Walk down once; what lies between is given to the nearest of the kind above it. */
  private *groups(kind: SpanKind, nameOf: (row: SpanRow) => string): Slices<Map<string, Group>> {
    const isTime = pacer();
    const { rows, roots, children } = this.forest;
    const groups = new Map<string, Group>();
    const inside = new Map<string, number>();
    const enter = (name: string, by: number) => inside.set(name, (inside.get(name) ?? 0) + by);
    // Places, with the name of the nearest above; −1: the way back out of a name.
    const walk: [place: number, name: string | undefined][] = roots
      .toReversed()
      .map((place) => [place, undefined]);
    for (let step = walk.pop(); step !== undefined; step = walk.pop()) {
      let [place, name] = step;
      if (isTime()) yield;
      const row = rows[place];
      if (row === undefined) {
        enter(name ?? '', -1);
        continue;
      }
      if (row.kind === kind && row.duplicate_of === null) {
        name = nameOf(row);
        const group = groups.get(name) ?? emptyGroup();
        groups.set(name, group);
        group.places.push(place);
        if ((inside.get(name) ?? 0) === 0) group.outermost.push(place);
        enter(name, 1);
        walk.push([-1, name]);
      }
      const group = name === undefined ? undefined : groups.get(name);
      if (group !== undefined) take(group, row, this.counted[place]);
      const below = children[place] ?? [];
      for (let at = below.length - 1; at >= 0; at -= 1) walk.push([below[at] ?? -1, name]);
    }
    return groups;
  }

  private counts(
    places: readonly number[],
  ): Pick<Operation, 'count' | 'errors' | 'running' | 'wait_ns'> {
    let [errors, running, wait_ns] = [0, 0, 0];
    for (const place of places) {
      const row = this.forest.rows[place];
      if (row?.status === 'error') errors += 1;
      if (row?.duration_ns === null) running += 1;
      wait_ns += row?.wait_ns ?? 0;
    }
    return { count: places.length, errors, running, wait_ns };
  }

  private times(places: readonly number[]): Times {
    const { rows } = this.forest;
    const took: number[] = [];
    let [longest, longest_ns] = [places[0] ?? 0, 0];
    let isEnded = false;
    for (const place of places) {
      const duration_ns = rows[place]?.duration_ns ?? null;
      if (duration_ns === null) continue;
      const took_ns = duration_ns - (this.waited.get(place) ?? 0);
      took.push(took_ns);
      if (took_ns > longest_ns || place === longest) {
        [longest, longest_ns, isEnded] = [place, took_ns, true];
      }
    }
    const total_ns = took.reduce((sum, one) => sum + one, 0);
    const ordered = Float64Array.from(took).sort();
    const row = rows[longest];
    return {
      total_ns,
      mean_ns: took.length === 0 ? null : Math.floor(total_ns / took.length),
      median_ns: median(ordered),
      p95_ns: percentile(ordered, 95),
      longest_ns: isEnded ? longest_ns : null,
      longest: {
        trace_id: row?.trace_id ?? '',
        span_id: row?.span_id ?? '',
        name: row?.name ?? '',
      },
    };
  }
}

function emptyGroup(): Group {
  return { places: [], outermost: [], used: NOTHING, model_calls: 0, tool_calls: 0 };
}

function take(group: Group, row: SpanRow, used: Used | undefined): void {
  if (used !== undefined) group.used = add(group.used, used);
  if (row.duplicate_of !== null) return;
  if (isModel(row.kind)) group.model_calls += 1;
  if (callsTool(row)) group.tool_calls += 1;
}

/** What the MCP SDK sends counts, too, where nobody else tells of the call. */
function callsTool(row: SpanRow): boolean {
  return row.kind === 'tool' || (row.kind === 'mcp' && row.name.startsWith('MCP send tools/call'));
}

function put(groups: Map<string, number[]>, key: string, place: number): void {
  const places = groups.get(key);
  if (places === undefined) groups.set(key, [place]);
  else places.push(place);
}

function dearestFirst(a: RollUp, b: RollUp): number {
  return (
    b.used_in_all.cost_usd - a.used_in_all.cost_usd ||
    tokensOf(b.used_in_all) - tokensOf(a.used_in_all) ||
    b.times.total_ns - a.times.total_ns ||
    compare(a.name, b.name)
  );
}

export function tokensOf({ input_tokens, output_tokens }: Use): number {
  return input_tokens + output_tokens;
}

export function isModel(kind: SpanKind | undefined): boolean {
  return kind === 'llm' || kind === 'embedding';
}

/** By key of the span, as the service reads them from attributes. */
export function toldAgents(told: readonly AgentRun[]): AgentNames {
  return new Map(told.map((run) => [spanKey(run), run.agent]));
}

/** Which agent a run is of. */
export function agentOf(row: SpanRow, named: AgentNames): string {
  return named.get(spanKey(row)) ?? agentName(row.name);
}

/** Which agent a span of this name is of: `invoke_agent planner` is `planner`. */
export function agentName(name: string): string {
  const found = name.replace(/^(?:invoke_agent|create_agent) (?=.)/, '');
  return (found.endsWith('.agent') ? found.slice(0, -'.agent'.length) : found) || found;
}

/** Which tool a span of this name calls: `MCP send tools/call read` is `read`. */
export function toolName(name: string): string {
  const at = name.lastIndexOf('tools/call ');
  const called = at < 0 ? name : name.slice(at + 'tools/call '.length);
  const found = called.startsWith('execute_tool ') ? called.slice('execute_tool '.length) : called;
  return (found.endsWith('.tool') ? found.slice(0, -'.tool'.length) : found) || name;
}

function median(ordered: Float64Array): number | null {
  const middle = ordered.length >> 1;
  const upper = ordered[middle];
  if (upper === undefined) return null;
  if (ordered.length % 2 === 1) return upper;
  return Math.floor(((ordered[middle - 1] ?? 0) + upper) / 2);
}

/** The smallest that so many percent do not exceed. */
function percentile(ordered: Float64Array, percent: number): number | null {
  return ordered[Math.floor((percent * ordered.length + 99) / 100) - 1] ?? null;
}
