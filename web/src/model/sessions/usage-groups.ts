/** What groups of sessions used, and the filter that finds the sessions of a group. */
import type { SessionUsage, UsageGroup, UsageKey, UsageTotal } from '../../api/types.ts';
import { USAGE_REMARKS } from '../../texts.ts';
import { valueText } from '../query/completion.ts';
import { formatCost } from '../text/format.ts';
import { boundsOf, type TimeRange, timeRangeText } from './time-range.ts';

export const USAGE_KEYS: readonly UsageKey[] = ['user', 'tag', 'model', 'day'];

/** Key of an address; the user if it names none. */
export function parseUsageKey(text: string | null): UsageKey {
  return USAGE_KEYS.find((key) => key === text) ?? 'user';
}

export interface Filter {
  readonly query: string;
  readonly range: TimeRange;
}

const DAY_MS = 86_400_000;

/** Filter of the sessions of a group, among those of `shown`: query and time of an address. */
export function filterOfGroup(
  by: UsageKey,
  name: string,
  { query, range }: Filter,
  now_ms: number,
): { readonly q: string; readonly time: string | undefined } {
  if (by !== 'day') return { q: narrowed(query, termOf(by, name)), time: timeRangeText(range) };
  const begin_ms = Date.parse(`${name}T00:00:00Z`);
  const end_ms = begin_ms + DAY_MS;
  const { since_ms = begin_ms, until_ms = end_ms } = boundsOf(range, now_ms);
  const until = Math.min(end_ms, until_ms);
  // A range that moves on may have left the day behind.
  const since = Math.min(Math.max(begin_ms, since_ms), until - 1);
  const time = timeRangeText({ kind: 'between', since_ms: since, until_ms: until });
  return { q: query, time };
}

function termOf(by: Exclude<UsageKey, 'day'>, name: string): string {
  if (name !== '') return `${by}:${valueText(name)}`;
  return by === 'model' ? 'span(kind:llm -model:*)' : `-${by}:*`;
}

function narrowed(query: string, term: string): string {
  const before = query.trim();
  if (before === '' || before === term || before.endsWith(` ${term}`)) return before || term;
  // OR binds weaker than what is added.
  return `${/\bor\b/i.test(before) ? `(${before})` : before} ${term}`;
}

/** Cost of calls: a lower bound if some carried none; undefined if none carried any. */
export function costText({ cost_usd, uncosted_calls }: UsageTotal): string | undefined {
  if (cost_usd === null) return undefined;
  return uncosted_calls > 0 ? `≥ ${formatCost(cost_usd)}` : formatCost(cost_usd);
}

/** Measure of a group's share: the cost, or the tokens unless every call carried a cost. */
export function shareOf(total: UsageTotal): {
  readonly of: 'cost' | 'tokens';
  readonly value: (one: UsageTotal) => number;
} {
  return total.cost_usd !== null && total.cost_usd > 0 && total.uncosted_calls === 0
    ? { of: 'cost', value: ({ cost_usd }) => cost_usd ?? 0 }
    : { of: 'tokens', value: (one) => one.input_tokens + one.output_tokens };
}

/** What a reader has to know about the sums, in sentences: what is left out, what counts twice. */
export function remarksOn(usage: SessionUsage, by: UsageKey): readonly string[] {
  const { groups, group_count, total, counted_from } = usage;
  const remarks: string[] = [];
  if (counted_from !== null) {
    const since = `${counted_from.slice(0, 16).replace('T', ' ')} UTC`;
    remarks.push(USAGE_REMARKS.countedSince(since));
  }
  if (groups.length < group_count) {
    remarks.push(USAGE_REMARKS.onlySome(groups.length, group_count, by));
  }
  if (total.uncosted_calls > 0) remarks.push(uncostedText(total));
  const counted = groups.reduce((sum, one) => sum + one.session_count, 0);
  if (by !== 'day' && counted > total.session_count) {
    remarks.push(USAGE_REMARKS.several(by));
  }
  if (by === 'day') remarks.push(USAGE_REMARKS.days);
  return remarks;
}

function uncostedText({ uncosted_calls, cost_usd }: UsageTotal): string {
  return cost_usd === null
    ? USAGE_REMARKS.unknownCost(uncosted_calls)
    : USAGE_REMARKS.leastCost(uncosted_calls);
}

/** Whether no session names what is asked for: there is one group, of those that name none. */
export function isUnnamed(groups: readonly UsageGroup[]): boolean {
  return groups.length === 1 && groups[0]?.name === '';
}
