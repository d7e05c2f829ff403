/** Totals of a span and everything below it: the numbers of an agent, its sub-agents included. */
import type { SpanRow } from '../../api/types.ts';
import type { SpanForest } from './span-forest.ts';
import { spanKey } from './span-key.ts';

export interface Totals {
  /** LLM calls of its own, and of the agents below it. */
  readonly turns: number;
  readonly turnsBelow: number;
  readonly tools: number;
  readonly agents: number;
  readonly errors: number;
  /** Keys of the first and the last LLM call of its own, by start. */
  readonly firstCall: string | undefined;
  readonly lastCall: string | undefined;
  readonly input_tokens: number | undefined;
  readonly output_tokens: number | undefined;
  readonly cost_usd: number | undefined;
}

type Usage = Pick<Totals, 'input_tokens' | 'output_tokens' | 'cost_usd'>;

/** `number`: the span's in the forest; `rowOf`: the newest version of a span, by its key. */
export function totalsOf(
  forest: SpanForest,
  rowOf: (key: string) => SpanRow | undefined,
  number: number,
): Totals {
  let first: SpanRow | undefined;
  let last: SpanRow | undefined;
  const counts = { turns: 0, turnsBelow: 0, tools: 0, agents: 0, errors: 0 };
  const order: number[] = [number];
  /** Position in `order` of the span above, and whether an agent is between it and the first. */
  const above: number[] = [-1];
  const isOfOther: boolean[] = [false];
  const usages: Usage[] = [];
  // Spans may be each other's parents.
  const seen = new Set(order);
  for (let place = 0; place < order.length; place += 1) {
    const one = order[place] ?? number;
    const row = rowOf(forest.keyOf(one) ?? '');
    const isCounted = row !== undefined && row.duplicate_of === null;
    const isBelow = place > 0;
    const isOther = (isOfOther[place] ?? false) || (isBelow && isCounted && row.kind === 'agent');
    if (isCounted) {
      if (row.kind === 'llm') counts[isOther ? 'turnsBelow' : 'turns'] += 1;
      if (row.kind === 'llm' && isBelow && !isOther) {
        if (first === undefined || row.offset_ns < first.offset_ns) first = row;
        if (last === undefined || row.offset_ns >= last.offset_ns) last = row;
      }
      if (row.kind === 'tool') counts.tools += 1;
      if (row.kind === 'agent' && isBelow) counts.agents += 1;
      if (row.status === 'error' && isBelow) counts.errors += 1;
    }
    usages.push({
      input_tokens: isCounted ? (row.input_tokens ?? undefined) : undefined,
      output_tokens: isCounted ? (row.output_tokens ?? undefined) : undefined,
      cost_usd: isCounted ? (row.cost_usd ?? undefined) : undefined,
    });
    for (const child of forest.childrenOf(one)) {
      if (seen.has(child)) continue;
      seen.add(child);
      order.push(child);
      above.push(place);
      isOfOther.push(isOther);
    }
  }
  return {
    ...counts,
    firstCall: first && spanKey(first),
    lastCall: last && spanKey(last),
    ...usageOfLeaves(usages, above),
  };
}

/** Sum of the usage of each span that has none below it: what an agent reports is a sum itself. */
function usageOfLeaves(usages: readonly Usage[], above: readonly number[]): Usage {
  const sums: Partial<Record<keyof Usage, number>>[] = usages.map(() => ({}));
  for (let place = usages.length - 1; place >= 0; place -= 1) {
    const sum = sums[place] ?? {};
    const own = usages[place];
    if (Object.keys(sum).length === 0 && own !== undefined) {
      for (const name of NAMES) if (own[name] !== undefined) sum[name] = own[name];
    }
    const parent = sums[above[place] ?? -1];
    if (parent === undefined) continue;
    for (const name of NAMES) {
      const part = sum[name];
      if (part !== undefined) parent[name] = (parent[name] ?? 0) + part;
    }
  }
  const { input_tokens, output_tokens, cost_usd } = sums[0] ?? {};
  return { input_tokens, output_tokens, cost_usd };
}

const NAMES = ['input_tokens', 'output_tokens', 'cost_usd'] as const;
