/** When tokens and money went: counted at the end of what used them. */
import type { SpanRow } from '../../api/types.ts';
import type { Used } from './statistics.ts';

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

const NANODOLLARS = 1e9;

/** `count` buckets from the first start to the last end; undefined when nothing was used. */
export function usageOverTime(
  rows: readonly SpanRow[],
  counted: readonly (Used | undefined)[],
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

/** The `most` rows of which `measure` is greatest, that first; those of 0 are left out. */
export function greatest(
  rows: readonly SpanRow[],
  measure: (row: SpanRow, place: number) => number,
  most: number,
): { readonly row: SpanRow; readonly value: number }[] {
  const found: { row: SpanRow; value: number }[] = [];
  rows.forEach((row, place) => {
    const value = measure(row, place);
    if (value <= (found.length < most ? 0 : (found.at(-1)?.value ?? 0))) return;
    const at = found.findIndex((one) => one.value < value);
    found.splice(at < 0 ? found.length : at, 0, { row, value });
    if (found.length > most) found.pop();
  });
  return found;
}
