/**
 * Layout of a transcript: the spans of a session that are its entries, in reading order, without
 * those that only wrap others. Pure; needs only the rows of spans, so that it is ready before any
 * content is loaded.
 */
import type { SpanRow } from '../../api/types.ts';
import { atOnce } from '../slices.ts';
import type { SpanForest } from '../trace/span-forest.ts';
import { spanKey } from '../trace/span-key.ts';
import { type SpanTree, spanTreeOf } from '../trace/span-tree.ts';

type EntryType =
  /** The beginning of an agent; a folded one is a card. */
  | 'agent'
  /** The end of an agent, or its current work, below all that it did. */
  | 'end'
  /** An LLM call. */
  | 'call'
  /** The answer of an LLM call, below the tools that ran during it. */
  | 'said'
  | 'tool'
  /** One line: a resource, a prompt, MCP, retrieval, a step. */
  | 'line'
  /** A step with several entries in it. */
  | 'heading';

export interface Entry {
  readonly id: string;
  /** `spanKey` of its span. */
  readonly key: string;
  readonly type: EntryType;
  /** Number of agents and tools around it that are entries. */
  readonly depth: number;
  /** Whether an agent can be folded: one that another agent called, or that runs beside others. */
  readonly isCard: boolean;
  readonly isFolded: boolean;
  /** The tool by which an agent was called, when nothing else was in it. */
  readonly via: string | undefined;
  /** Number of siblings that ran at the same time, itself included. */
  readonly atOnce: number;
}

/** Sums of an agent, or an LLM call, and all below it. */
export interface Sum {
  /** LLM calls of its own, and of the agents below it. */
  readonly turns: number;
  readonly turnsBelow: number;
  readonly tools: number;
  /** Number of all errors, its own included, as in the header and the list. */
  readonly errors: number;
  readonly tokens: number;
  /** The one of these errors that ended first. */
  readonly cause: string | undefined;
  /** The running span that started last. */
  readonly running: string | undefined;
}

export interface TranscriptLayout {
  readonly entries: readonly Entry[];
  /** Any span → its entry, or the entry that contains it. */
  readonly entryOf: ReadonlyMap<string, number>;
  /** LLM call → the previous one in the same conversation; and back. */
  readonly before: ReadonlyMap<string, string>;
  readonly next: ReadonlyMap<string, string>;
  /** LLM call → tools that ran between it and the next one, by start; and back. */
  readonly toolsOf: ReadonlyMap<string, readonly string[]>;
  readonly callOf: ReadonlyMap<string, string>;
  /** LLM calls whose answer is an entry of its own, below their contents. */
  readonly answeredBelow: ReadonlySet<string>;
  /** Agent → the first and the last LLM call of its own. */
  readonly firstCall: ReadonlyMap<string, string>;
  readonly lastCall: ReadonlyMap<string, string>;
  /** Failed tool → the next call of the same tool in the same run of the agent. */
  readonly again: ReadonlyMap<string, string>;
  /** Span → its nearest agent above. */
  readonly agentOf: ReadonlyMap<string, string>;
  readonly sums: ReadonlyMap<string, Sum>;
  /** Agents around a span, from the outermost; folded ones hide it. */
  readonly above: (key: string) => readonly string[];
  /** Spans that failed because of this one, the nearest first. */
  readonly failedAbove: (key: string) => readonly SpanRow[];
  /** Whether its ancestors failed first because of it, or of what is inside of it. */
  readonly isCause: (key: string) => boolean;
}

/** Names of requests from a server to its client, inside a tool. */
const OF_SERVER = /(^|\s)(sampling|elicitation)\/\S+$/;

/** Names of MCP operations that only prepare a connection. */
const SETUP =
  /(^|\s)(initialize|ping|server\/discover|logging\/setLevel|[a-z]+\/list|resources\/templates\/list|notifications\/\S+)$/;

type Role = EntryType | 'hidden';

export interface LayoutOptions {
  /** Keys that the reader folded (true) or unfolded (false). */
  readonly byHand?: ReadonlyMap<string, boolean>;
  /** Show wrappers, duplicates and transport, too. */
  readonly isWhole?: boolean;
  /** Keys of the spans that can be entries; undefined: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Keys that are unfolded unless the reader folded them: failed and selected ones. */
  readonly open?: ReadonlySet<string>;
}

/** `rowOf`: the newest version of a span of the forest, by its key. */
export function layoutTranscript(
  forest: SpanForest,
  rowOf: (key: string) => SpanRow | undefined,
  { byHand = new Map(), isWhole = false, only, open = new Set() }: LayoutOptions = {},
): TranscriptLayout {
  const tree = withAgents(atOnce(spanTreeOf(forest, rowOf)));
  const { roles: all, inside: within, acts } = rolesOf(tree, isWhole);
  const roles =
    only === undefined
      ? all
      : all.map((role, place) => (only.has(at(tree.keys, place)) ? role : 'hidden'));
  const together = simultaneous(tree, roles);
  const links = linksOf(tree, roles);
  const sums = sumsOf(tree);
  const entries: Entry[] = [];
  const entryOf = new Map<string, number>();
  const { rows, keys, parent, level } = tree;
  const depth = new Uint32Array(rows.length);
  /** Position of the folded agent that hides it, plus 1. */
  const hiddenBy = new Uint32Array(rows.length);
  const opened: number[] = [];
  const answeredBelow = new Set<string>();
  const close = (until: number) => {
    for (let last = opened.at(-1); last !== undefined && at(level, last) >= until; ) {
      opened.pop();
      const key = at(keys, last);
      const type = at(roles, last) === 'agent' ? 'end' : 'said';
      if (type === 'said') answeredBelow.add(key);
      entries.push({
        ...entry(key, type, at(depth, last)),
        id: `${key}:${type}`,
        isCard: isCard(tree, roles, together, last),
      });
      last = opened.at(-1);
    }
  };
  for (let place = 0; place < rows.length; place += 1) {
    close(at(level, place));
    const key = at(keys, place);
    const above = at(parent, place);
    const role = at(roles, place);
    depth[place] =
      above < 0 ? 0 : at(depth, above) + (isStage(tree, roles, together, above) ? 1 : 0);
    hiddenBy[place] = above < 0 ? 0 : at(hiddenBy, above);
    if (at(hiddenBy, place) > 0 || role === 'hidden') {
      const inside = entryOf.get(above < 0 ? '' : at(keys, above));
      if (inside !== undefined) entryOf.set(key, inside);
      continue;
    }
    const card = role === 'agent' && isCard(tree, roles, together, place);
    const isFolded = card && (byHand.get(key) ?? !(open.has(key) || isAlone(tree, within, place)));
    entryOf.set(key, entries.length);
    const via = links.via.get(key);
    if (via !== undefined) entryOf.set(via, entries.length);
    entries.push({
      ...entry(key, role, at(depth, place)),
      isCard: card,
      isFolded,
      via,
      atOnce: at(together, place),
    });
    if (isFolded) hiddenBy[place] = place + 1;
    else if (role === 'agent' || (role === 'call' && acts.has(place))) opened.push(place);
  }
  close(0);
  fillHidden(tree, entryOf);
  return {
    entries,
    entryOf,
    ...links,
    answeredBelow,
    sums,
    above: (key) => agentsAbove(tree, roles, key),
    failedAbove: (key) => failuresAbove(tree, key),
    isCause: (key) => isCause(tree, sums, key),
  };
}

function entry(key: string, type: EntryType, depth: number): Entry {
  return {
    id: key,
    key,
    type,
    depth,
    isCard: false,
    isFolded: false,
    via: undefined,
    atOnce: 1,
  };
}

interface Places extends SpanTree {
  readonly placeOf: ReadonlyMap<string, number>;
  /** Index of the nearest agent above; −1: none. */
  readonly agent: Int32Array;
}

function withAgents(tree: SpanTree): Places {
  const { rows, keys, parent } = tree;
  const agent = new Int32Array(rows.length).fill(-1);
  parent.forEach((above, place) => {
    // A duplicate of an agent is none: what is in it is in the agent.
    if (above >= 0) agent[place] = isAgent(at(rows, above)) ? above : at(agent, above);
  });
  return { ...tree, placeOf: new Map(keys.map((key, place) => [key, place])), agent };
}

function isAgent({ kind, duplicate_of }: SpanRow): boolean {
  return kind === 'agent' && duplicate_of === null;
}

const ACTORS: ReadonlySet<Role> = new Set(['agent', 'call', 'tool']);

/** Role of each span in the transcript; a tool that only wraps an agent is part of its card. */
function rolesOf(
  { rows, parent }: Places,
  isWhole: boolean,
): {
  readonly roles: readonly Role[];
  readonly inside: Uint32Array;
  /** Indexes of spans that contain a shown agent, model or tool. */
  readonly acts: ReadonlySet<number>;
} {
  const roles: Role[] = new Array(rows.length).fill('hidden');
  /**
   * Number of entries directly inside, those of hidden spans included; and of agents among them.
   */
  const inside = new Uint32Array(rows.length);
  const agents = new Uint32Array(rows.length);
  const acts = new Set<number>();
  const cycles = cyclesOf(rows, parent);
  for (let place = rows.length - 1; place >= 0; place -= 1) {
    const row = at(rows, place);
    const above = at(parent, place);
    const role = isWhole
      ? roleByKind(row)
      : roleOf(row, above < 0 ? undefined : at(rows, above), at(inside, place), at(agents, place));
    roles[place] = role === 'heading' && cycles.has(place) ? 'hidden' : role;
    if (above < 0) continue;
    const isHidden = roles[place] === 'hidden';
    const isActor = row.duplicate_of === null && ACTORS.has(at(roles, place));
    if (isHidden ? acts.has(place) : isActor) acts.add(above);
    inside[above] = at(inside, above) + (isHidden ? at(inside, place) : 1);
    agents[above] = at(agents, above) + (isHidden ? at(agents, place) : role === 'agent' ? 1 : 0);
  }
  return { roles, inside, acts };
}

/** Steps of one name directly in an agent: its loop, whose turns need no heading each. */
function cyclesOf(rows: readonly SpanRow[], parent: Int32Array): ReadonlySet<number> {
  const groups = new Map<string, number[]>();
  rows.forEach((row, place) => {
    const above = at(parent, place);
    if (row.kind !== 'step' || above < 0 || at(rows, above).kind !== 'agent') return;
    const group = groups.get(`${above} ${row.name}`);
    if (group === undefined) groups.set(`${above} ${row.name}`, [place]);
    else group.push(place);
  });
  return new Set([...groups.values()].filter(({ length }) => length > 1).flat());
}

function roleByKind({ kind }: SpanRow): EntryType {
  if (kind === 'agent') return 'agent';
  if (kind === 'llm') return 'call';
  return kind === 'tool' ? 'tool' : 'line';
}

function roleOf(row: SpanRow, above: SpanRow | undefined, inside: number, agents: number): Role {
  if (row.duplicate_of !== null) return 'hidden';
  const isFailed = row.status === 'error';
  switch (row.kind) {
    case 'agent':
      return 'agent';
    case 'llm':
      return 'call';
    case 'tool':
      if (above?.kind === 'tool' && isMessageOf(row, above)) return 'hidden';
      return inside === 1 && agents === 1 ? 'hidden' : 'tool';
    case 'mcp':
      if (OF_SERVER.test(row.name)) return 'line';
      if (above?.kind === 'tool' || SETUP.test(row.name))
        return isFailed && above?.kind !== 'tool' ? 'line' : 'hidden';
      // The server's side of what a client sent.
      return above?.kind === 'mcp' && above.name.endsWith(row.name) && !isFailed
        ? 'hidden'
        : 'line';
    case 'workflow':
    case 'step':
      if (inside > 1) return above === undefined ? 'hidden' : 'heading';
      return inside === 1 ? 'hidden' : 'line';
    case 'database':
    case 'messaging':
    case 'http':
    case 'other':
      if (inside > 0) return 'hidden';
      return isFailed || above === undefined ? 'line' : 'hidden';
    default:
      return 'line';
  }
}

/** Whether it is a message of the surrounding call, or the server's work for it. */
function isMessageOf({ name }: SpanRow, above: SpanRow): boolean {
  const tool = /^(?:MCP send )?tools\/call (.+)$/.exec(name)?.[1];
  return tool !== undefined && above.name.endsWith(` ${tool}`);
}

/** Whether its contents are indented: agents that agents call, and tools. */
function isStage(
  tree: Places,
  roles: readonly Role[],
  together: Uint32Array,
  place: number,
): boolean {
  return at(roles, place) === 'tool' || isCard(tree, roles, together, place);
}

/** Whether an agent is a card: called by an agent, or running beside others. */
function isCard(
  tree: Places,
  roles: readonly Role[],
  together: Uint32Array,
  place: number,
): boolean {
  if (at(roles, place) !== 'agent') return false;
  return at(together, place) > 1 || at(tree.agent, place) >= 0;
}

/**
 * Whether an agent is the only content of the outermost one: folded, nothing would be left to read.
 */
function isAlone({ agent }: Places, inside: Uint32Array, place: number): boolean {
  const above = at(agent, place);
  return above >= 0 && at(agent, above) < 0 && at(inside, above) === 1;
}

/** Number of agents of the same agent (or of none) that ran at once, for each. */
function simultaneous(tree: Places, roles: readonly Role[]): Uint32Array {
  const found = new Uint32Array(tree.rows.length).fill(1);
  const groups = new Map<string, { places: number[]; end_ns: number }>();
  for (let place = 0; place < tree.rows.length; place += 1) {
    if (at(roles, place) !== 'agent') continue;
    const row = at(tree.rows, place);
    const end_ns = row.duration_ns === null ? Infinity : row.offset_ns + row.duration_ns;
    // Chats of one agent after each other are no siblings of what another trace does meanwhile.
    const where = `${row.trace_id}.${at(tree.agent, place)}`;
    const group = groups.get(where);
    if (group === undefined || row.offset_ns >= group.end_ns) {
      groups.set(where, { places: [place], end_ns });
      continue;
    }
    group.places.push(place);
    group.end_ns = Math.max(group.end_ns, end_ns);
    for (const one of group.places) found[one] = group.places.length;
  }
  return found;
}

type Links = Pick<
  TranscriptLayout,
  'before' | 'next' | 'toolsOf' | 'callOf' | 'firstCall' | 'lastCall' | 'again' | 'agentOf'
> & { readonly via: ReadonlyMap<string, string> };

/** Links by start: turns of a conversation, their tools, and repeated calls. */
function linksOf(tree: Places, roles: readonly Role[]): Links {
  const { rows, keys } = tree;
  const before = new Map<string, string>();
  const next = new Map<string, string>();
  const toolsOf = new Map<string, string[]>();
  const callOf = new Map<string, string>();
  const again = new Map<string, string>();
  const agentOf = new Map<string, string>();
  const via = new Map<string, string>();
  const lastCall = new Map<string, string>();
  const firstOfAgent = new Map<string, string>();
  const lastOfAgent = new Map<string, string>();
  const lastFailed = new Map<string, string>();
  const order = [...rows.keys()].sort(
    (a, b) => at(rows, a).offset_ns - at(rows, b).offset_ns || a - b,
  );
  for (const place of order) {
    const row = at(rows, place);
    const key = at(keys, place);
    const owner = at(tree.agent, place);
    if (owner >= 0) agentOf.set(key, at(keys, owner));
    if (row.duplicate_of !== null) continue;
    const lane = laneOf(tree, owner);
    const role = at(roles, place);
    if (role === 'call') {
      const previous = lastCall.get(lane);
      if (previous !== undefined) {
        before.set(key, previous);
        next.set(previous, key);
      }
      lastCall.set(lane, key);
      if (owner >= 0) {
        lastOfAgent.set(at(keys, owner), key);
        if (!firstOfAgent.has(at(keys, owner))) firstOfAgent.set(at(keys, owner), key);
      }
    } else if (row.kind === 'tool' && !isInsideTool(tree, place, owner)) {
      const call = lastCall.get(lane);
      if (call !== undefined) {
        const tools = toolsOf.get(call);
        if (tools === undefined) toolsOf.set(call, [key]);
        else tools.push(key);
        callOf.set(key, call);
      }
      const name = `${owner} ${row.name}`;
      const failed = lastFailed.get(name);
      if (failed !== undefined) again.set(failed, key);
      if (row.status === 'error') lastFailed.set(name, key);
      else lastFailed.delete(name);
    }
    if (role === 'agent') {
      const tool = wrapperOf(tree, roles, place);
      if (tool !== undefined) via.set(key, tool);
    }
  }
  return {
    before,
    next,
    toolsOf,
    callOf,
    firstCall: firstOfAgent,
    lastCall: lastOfAgent,
    again,
    agentOf,
    via,
  };
}

/**
 * The conversation of a span. Root agents of one name are one conversation across all traces of the
 * session: each turn of a chat may be a trace.
 */
function laneOf(tree: Places, owner: number): string {
  if (owner < 0) return '';
  return at(tree.agent, owner) < 0 ? `:${at(tree.rows, owner).name}` : at(tree.keys, owner);
}

function isInsideTool({ rows, parent }: Places, place: number, owner: number): boolean {
  for (let above = at(parent, place); above > owner; above = at(parent, above)) {
    if (at(rows, above).kind === 'tool') return true;
  }
  return false;
}

/** The tool around an agent that is not shown, because nothing else is in it. */
function wrapperOf(tree: Places, roles: readonly Role[], place: number): string | undefined {
  for (let above = at(tree.parent, place); above >= 0; above = at(tree.parent, above)) {
    if (at(roles, above) !== 'hidden') return undefined;
    const row = at(tree.rows, above);
    if (row.kind === 'tool' && row.duplicate_of === null) return at(tree.keys, above);
  }
  return undefined;
}

function sumsOf(tree: Places): Map<string, Sum> {
  const { rows, keys, parent } = tree;
  const sums = rows.map((row) => ({
    turns: 0,
    turnsBelow: 0,
    tools: 0,
    errors: 0,
    tokens: 0,
    cause: undefined as number | undefined,
    running: undefined as number | undefined,
    hasFailedInside: false,
    isSummed: row.kind === 'agent' || row.kind === 'llm',
  }));
  const end = (place: number) => at(rows, place).offset_ns + (at(rows, place).duration_ns ?? 0);
  for (let place = rows.length - 1; place >= 0; place -= 1) {
    const row = at(rows, place);
    const sum = at(sums, place);
    if (row.duplicate_of === null) {
      if (row.kind === 'llm') {
        sum.turns += 1;
        sum.tokens += (row.input_tokens ?? 0) + (row.output_tokens ?? 0);
      }
      if (row.kind === 'tool') sum.tools += 1;
      if (row.status === 'error') {
        sum.errors += 1;
        if (!sum.hasFailedInside) sum.cause = place;
        sum.hasFailedInside = true;
      }
      if (row.status === 'running') sum.running ??= place;
    }
    if (at(parent, place) < 0) continue;
    const above = at(sums, at(parent, place));
    const isOther = isAgent(row);
    above.turns += isOther ? 0 : sum.turns;
    above.turnsBelow += sum.turnsBelow + (isOther ? sum.turns : 0);
    above.tools += sum.tools;
    above.errors += sum.errors;
    above.tokens += sum.tokens;
    above.hasFailedInside ||= sum.hasFailedInside;
    if (
      sum.cause !== undefined &&
      (above.cause === undefined || end(sum.cause) <= end(above.cause))
    )
      above.cause = sum.cause;
    if (
      sum.running !== undefined &&
      (above.running === undefined ||
        at(rows, sum.running).offset_ns > at(rows, above.running).offset_ns)
    )
      above.running = sum.running;
  }
  const found = new Map<string, Sum>();
  sums.forEach((sum, place) => {
    if (!sum.isSummed) return;
    const { turns, turnsBelow, tools, errors, tokens, cause, running } = sum;
    found.set(at(keys, place), {
      turns,
      turnsBelow,
      tools,
      errors,
      tokens,
      cause: cause === undefined ? undefined : at(keys, cause),
      running: running === undefined || running === place ? undefined : at(keys, running),
    });
  });
  return found;
}

function agentsAbove(tree: Places, roles: readonly Role[], key: string): string[] {
  const found: string[] = [];
  let place = tree.placeOf.get(key) ?? -1;
  // A tool that is a part of an agent's card is shown with it.
  for (
    place = place < 0 ? -1 : at(tree.parent, place);
    place >= 0;
    place = at(tree.parent, place)
  ) {
    if (at(roles, place) === 'agent') found.unshift(at(tree.keys, place));
  }
  return found;
}

function failuresAbove({ rows, parent, placeOf }: Places, key: string): SpanRow[] {
  const found: SpanRow[] = [];
  const place = placeOf.get(key);
  for (let above = place === undefined ? -1 : at(parent, place); above >= 0; ) {
    const row = at(rows, above);
    if (row.status !== 'error') break;
    found.push(row);
    above = at(parent, above);
  }
  return found;
}

function isCause(tree: Places, sums: ReadonlyMap<string, Sum>, key: string): boolean {
  const cause = sums.get(key)?.cause ?? key;
  return failuresAbove(tree, key)
    .map((row) => sums.get(spanKey(row)))
    .every((sum) => sum === undefined || sum.cause === cause);
}

/** Map a span above all entries to the first entry inside it. */
function fillHidden({ keys, parent }: Places, entryOf: Map<string, number>): void {
  const filled = new Set<string>();
  for (let place = keys.length - 1; place >= 0; place -= 1) {
    const shown = entryOf.get(at(keys, place));
    const above = at(parent, place);
    if (shown === undefined || above < 0) continue;
    const key = at(keys, above);
    // The last to be seen is the first to be read.
    if (entryOf.has(key) && !filled.has(key)) continue;
    filled.add(key);
    entryOf.set(key, shown);
  }
}

function at<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index} of ${items.length}`);
  return item;
}
