/** Streamed answers: time to the first token, and stalls. */
import type { Spread, StreamedCall, Streams } from '../../api/types.ts';
import { formatDuration, plural } from '../../model/text/format.ts';
import { STATISTICS_TEXT } from '../../texts.ts';
import { SpanLink } from '../parts/statistics/cells.tsx';
import './streams-section.css';

interface StreamsSectionProps {
  readonly streams: Streams;
  readonly onOpen: (span: StreamedCall['span']) => void;
}

export function StreamsSection({ streams, onOpen }: StreamsSectionProps) {
  return (
    <div className="ins-streams">
      {streams.first_chunk !== null && (
        <Measured
          name={STATISTICS_TEXT.timeToFirstToken}
          spread={streams.first_chunk}
          worst={streams.latest_first_chunks}
          took_ns={(call) => call.first_chunk_ns}
          onOpen={onOpen}
        />
      )}
      {streams.stall !== null && (
        <Measured
          name={STATISTICS_TEXT.longestPause}
          spread={streams.stall}
          worst={streams.longest_stalls}
          took_ns={(call) => call.longest_stall_ns}
          onOpen={onOpen}
        />
      )}
    </div>
  );
}

interface MeasuredProps {
  readonly name: string;
  readonly spread: Spread;
  readonly worst: readonly StreamedCall[];
  readonly took_ns: (call: StreamedCall) => number | null;
  readonly onOpen: (span: StreamedCall['span']) => void;
}

const SHOWN = 5;

function Measured({ name, spread, worst, took_ns, onOpen }: MeasuredProps) {
  const most = Math.max(1, ...spread.buckets);
  const labels = [
    ...spread.bucket_ns.map((ns) => `< ${formatDuration(ns)}`),
    `≥ ${formatDuration(spread.bucket_ns.at(-1) ?? 0)}`,
  ];
  const used = spread.buckets.flatMap((count, at) => (count > 0 ? [at] : []));
  const [from, to] = [used[0] ?? 0, (used.at(-1) ?? 0) + 1];
  return (
    <div>
      <h3>{name}</h3>
      <p className="ins-streams__facts">
        {plural(spread.count, 'answer')}: p50 <b>{formatDuration(spread.median_ns)}</b>, p95{' '}
        <b>{formatDuration(spread.p95_ns)}</b>, {STATISTICS_TEXT.longest}{' '}
        <b>{formatDuration(spread.longest_ns)}</b>
      </p>
      <ul className="ins-streams__buckets" aria-label={STATISTICS_TEXT.howMany(name)}>
        {spread.buckets.slice(from, to).map((count, at) => (
          <li key={labels[from + at]}>
            <span>{labels[from + at]}</span>
            <span className="ins-streams__bar" aria-hidden="true">
              <span style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <span>{count}</span>
          </li>
        ))}
      </ul>
      <ul className="ins-stats__worst" aria-label={STATISTICS_TEXT.theLongest(name)}>
        {worst.slice(0, SHOWN).map((call) => (
          <li key={`${call.span.trace_id}.${call.span.span_id}`}>
            <SpanLink
              name={call.span.name}
              title={call.model ?? call.span.name}
              onOpen={() => onOpen(call.span)}
            />
            <span>{formatDuration(took_ns(call) ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
