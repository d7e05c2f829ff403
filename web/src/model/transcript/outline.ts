/** Outline of a transcript: its agents and their turns, each with the tools that it called. */
import type { SpanRow } from '../../api/types.ts';
import type { TranscriptLayout } from './transcript.ts';

export interface OutlineRow {
  /** Id of the entry that it leads to. */
  readonly id: string;
  /** Index of that entry. */
  readonly index: number;
  /** Number of agents around it. */
  readonly depth: number;
  readonly row: SpanRow;
  /** Number of the turn within its agent, from 1; undefined for an agent. */
  readonly turn: number | undefined;
  /** Name of each called tool's span, with the number of its calls. */
  readonly tools: ReadonlyMap<string, number>;
  /** Whether the turn or a tool of it failed, or the agent. */
  readonly isFailed: boolean;
}

/** Number of turns, or of agents, from which an outline helps. */
export const MIN_TURNS = 6;

/** The rows, in the order of the entries; none for a short transcript. */
export function outlineOf(
  layout: TranscriptLayout,
  rowOf: (key: string) => SpanRow | undefined,
): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const turns = new Map<string, number>();
  let count = 0;
  layout.entries.forEach(({ id, key, type }, index) => {
    if (type !== 'agent' && type !== 'call') return;
    const row = rowOf(key);
    if (row === undefined) return;
    const tools = new Map<string, number>();
    let turn: number | undefined;
    let isFailed = row.status === 'error';
    if (type === 'call') {
      const agent = layout.agentOf.get(key) ?? '';
      turn = (turns.get(agent) ?? 0) + 1;
      turns.set(agent, turn);
      count += 1;
      for (const tool of layout.toolsOf.get(key) ?? []) {
        const called = rowOf(tool);
        if (called === undefined) continue;
        tools.set(called.name, (tools.get(called.name) ?? 0) + 1);
        isFailed ||= called.status === 'error';
      }
    }
    rows.push({ id, index, depth: depthOf(key, layout.agentOf), row, turn, tools, isFailed });
  });
  // Turns of folded agents have no entry; the agents do.
  return Math.max(count, rows.length - count) < MIN_TURNS ? [] : rows;
}

function depthOf(key: string, agentOf: TranscriptLayout['agentOf']): number {
  let depth = 0;
  // Spans may be each other's parents.
  const seen = new Set([key]);
  for (let at = agentOf.get(key); at !== undefined && !seen.has(at); at = agentOf.get(at)) {
    seen.add(at);
    depth += 1;
  }
  return depth;
}

/** The row of the entry at an index: the last one that begins there or above. */
export function outlineAt(rows: readonly OutlineRow[], index: number): OutlineRow | undefined {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.index ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return rows[low - 1];
}
