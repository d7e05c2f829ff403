/** Chart of tokens over time as bars, with the cumulated cost as a line. */

import type { UsageOverTime } from '../../model/statistics/usage.ts';
import { formatCost, formatCount, formatDuration } from '../../model/text/format.ts';
import { STATISTICS_TEXT } from '../../texts.ts';
import './usage-chart.css';

const HEIGHT = 72;
const STEP = 10;

export function UsageChart({ usage }: { readonly usage: UsageOverTime }) {
  const { buckets, bucket_ns } = usage;
  const totals = buckets.map((one) => one.input_tokens + one.output_tokens);
  const most = Math.max(1, ...totals);
  const spent = cumulated(buckets.map((one) => one.cost_usd));
  const all = spent.at(-1) ?? 0;
  const width = buckets.length * STEP;
  const tokens = totals.reduce((sum, one) => sum + one, 0);
  const length_ns = bucket_ns * buckets.length;
  const description = STATISTICS_TEXT.usedIn(
    formatCount(tokens),
    all > 0 ? formatCost(all) : undefined,
    formatDuration(length_ns),
    formatCount(most),
    formatDuration(bucket_ns),
  );
  return (
    <figure className="ins-usage-chart">
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={description}
      >
        {buckets.map((one, at) => {
          const input = (one.input_tokens / most) * (HEIGHT - 4);
          const output = (one.output_tokens / most) * (HEIGHT - 4);
          if (input + output === 0) return null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
            <g key={at}>
              <title>
                {STATISTICS_TEXT.usedAt(
                  formatDuration(at * bucket_ns),
                  formatCount(one.input_tokens),
                  formatCount(one.output_tokens),
                  one.cost_usd > 0 ? formatCost(one.cost_usd) : undefined,
                )}
              </title>
              <rect
                className="ins-usage-chart__in"
                x={at * STEP + 1}
                y={HEIGHT - input}
                width={STEP - 2}
                height={input}
              />
              <rect
                className="ins-usage-chart__out"
                x={at * STEP + 1}
                y={HEIGHT - input - output}
                width={STEP - 2}
                height={output}
              />
            </g>
          );
        })}
        {all > 0 && (
          <polyline
            className="ins-usage-chart__cost"
            points={`0,${HEIGHT - 1} ${spent
              .map((usd, at) => `${(at + 1) * STEP},${HEIGHT - 1 - (usd / all) * (HEIGHT - 6)}`)
              .join(' ')}`}
          />
        )}
      </svg>
      <figcaption>
        <span className="ins-usage-chart__key ins-usage-chart__key--in">
          {STATISTICS_TEXT.tokensInLabel}
        </span>
        <span className="ins-usage-chart__key ins-usage-chart__key--out">
          {STATISTICS_TEXT.out}
        </span>
        {all > 0 && (
          <span className="ins-usage-chart__key ins-usage-chart__key--cost">
            {STATISTICS_TEXT.spent(formatCost(all))}
          </span>
        )}
        <span className="ins-usage-chart__end">{formatDuration(length_ns)}</span>
      </figcaption>
    </figure>
  );
}

function cumulated(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}
