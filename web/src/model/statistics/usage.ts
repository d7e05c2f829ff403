/** Tokens and money of each span. */
import type { SpanRow } from '../../api/types.ts';
import type { SpanTree } from '../trace/span-tree.ts';

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** An integer, so that sums do not depend on their order. */
  readonly cost_nanodollars: number;
}

const NANODOLLARS = 1e9;

/**
 * Usage of each span, counted once: not if a span below it reports usage. A duplicate never
 * counts; its usage stands in for an original without any.
 */
export function countedUsage({ rows, keys, parent }: SpanTree): (Usage | undefined)[] {
  const used = rows.map((row) => (row.duplicate_of === null ? usageOf(row) : undefined));
  const duplicates = rows.filter(({ duplicate_of }) => duplicate_of !== null);
  const places = new Map(duplicates.length > 0 ? keys.map((key, place) => [key, place]) : []);
  for (const row of duplicates) {
    const shown = places.get(`${row.trace_id}.${row.duplicate_of}`);
    if (shown === undefined || rows[shown]?.duplicate_of !== null) continue;
    used[shown] ??= usageOf(row);
  }
  const isAbove = new Uint8Array(rows.length);
  used.forEach((one, place) => {
    if (one === undefined) return;
    for (let above = parent[place] ?? -1; above >= 0 && isAbove[above] === 0; ) {
      isAbove[above] = 1;
      above = parent[above] ?? -1;
    }
  });
  return used.map((one, place) => (isAbove[place] === 1 ? undefined : one));
}

function usageOf({ input_tokens, output_tokens, cost_usd }: SpanRow): Usage | undefined {
  if (input_tokens === null && output_tokens === null && cost_usd === null) return undefined;
  return {
    input_tokens: input_tokens ?? 0,
    output_tokens: output_tokens ?? 0,
    cost_nanodollars: Math.round((cost_usd ?? 0) * NANODOLLARS),
  };
}

interface UsageBucket {
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

export interface UsageOverTime {
  readonly start_ns: number;
  readonly bucket_ns: number;
  readonly buckets: readonly UsageBucket[];
}

/** `count` buckets from the first start to the last end; undefined when nothing was used. */
export function usageOverTime(
  rows: readonly SpanRow[],
  counted: readonly (Usage | undefined)[],
  count: number,
): UsageOverTime | undefined {
  let [start_ns, end_ns] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isUsed = false;
  rows.forEach((row, place) => {
    start_ns = Math.min(start_ns, row.offset_ns);
    end_ns = Math.max(end_ns, endOf(row));
    isUsed ||= counted[place] !== undefined;
  });
  if (!isUsed) return undefined;
  const bucket_ns = Math.max(1, (end_ns - start_ns) / count);
  const buckets = Array.from(
    { length: count },
    (): UsageBucket => ({ input_tokens: 0, output_tokens: 0, cost_usd: 0 }),
  );
  rows.forEach((row, place) => {
    const used = counted[place];
    const at = Math.min(count - 1, Math.floor((endOf(row) - start_ns) / bucket_ns));
    const bucket = buckets[at];
    if (used === undefined || bucket === undefined) return;
    bucket.input_tokens += used.input_tokens;
    bucket.output_tokens += used.output_tokens;
    bucket.cost_usd += used.cost_nanodollars / NANODOLLARS;
  });
  return { start_ns, bucket_ns, buckets };
}

function endOf({ offset_ns, duration_ns }: SpanRow): number {
  return offset_ns + (duration_ns ?? 0);
}
