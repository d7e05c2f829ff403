/** Overview of the span: its error, its usage, its input. */
import { useMemo, useState } from 'react';
import type { ErrorView, SpanDetail, SpanRow } from '../../api/types.ts';
import {
  formatBytes,
  formatCost,
  formatDuration,
  formatTimeOfDay,
  groupThousands,
  plural,
} from '../../model/text/format.ts';
import { foldFrames } from '../../model/text/stack-trace.ts';
import { failedAbove, failedBelow, selfTime_ns } from '../../model/trace/span-family.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Trace } from '../../state/trace.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ClampedText } from '../parts/values/clamped-text.tsx';
import { LongValue } from '../parts/values/long-value.tsx';
import { useShownSpan } from '../parts/values/shown-span.ts';
import { VisibleText } from '../parts/visible-text.tsx';
import { Conversation } from './conversation.tsx';
import { CapturedInputOutput } from './input-output.tsx';
import { SpanButton } from './links.tsx';
import './overview.css';

interface OverviewProps {
  readonly row: SpanRow;
  readonly detail: SpanDetail;
  readonly trace: Trace;
  readonly onSelect: (key: string) => void;
}

export function Overview({ row, detail, trace, onSelect }: OverviewProps) {
  const { view } = detail;
  return (
    <>
      {view.error !== null && <ErrorBlock error={view.error} />}
      {view.error === null && detail.status_message !== null && detail.status_message !== '' && (
        <p className="ins-section">{detail.status_message}</p>
      )}
      {row.status === 'error' && <FailedInput detail={detail} />}
      {row.status === 'error' && <Propagation {...{ row, trace, onSelect }} />}
      {view.usage !== null && <UsageBlock usage={view.usage} detail={detail} />}
      <Facts title="Span" facts={spanFacts(row, detail, trace)} />
      <Facts title="Model" facts={modelFacts(detail)} />
      <Facts title="MCP" facts={mcpFacts(detail)} />
      <Facts title="What the application said" facts={applicationFacts(detail)} />
      <Facts title="Came from" facts={sourceFacts(detail)} />
      <Losses detail={detail} />
    </>
  );
}

/** Input of a failed span, beside the error. */
export function FailedInput({ detail }: { readonly detail: SpanDetail }) {
  const last = detail.view.messages.at(-1);
  return (
    <>
      <CapturedInputOutput detail={detail} />
      {last !== undefined && (
        <section className="ins-section" aria-label="The last message">
          <h3>The last message</h3>
          <Conversation messages={[last]} />
        </section>
      )}
    </>
  );
}

/** Origin of the error, and the spans that failed with it. */
function Propagation({ row, trace, onSelect }: Omit<OverviewProps, 'detail'>) {
  const above = useMemo(() => failedAbove(trace.spans, row), [trace, row]);
  const below = useMemo(() => failedBelow(trace.spans, row), [trace, row]);
  if (above.length === 0 && below.length === 0) return null;
  return (
    <section className="ins-section">
      {below.length > 0 && (
        <>
          <h3>Failed below it</h3>
          <Spans rows={below} onSelect={onSelect} />
        </>
      )}
      {above.length > 0 && (
        <>
          <h3>Went on to</h3>
          <Spans rows={above} onSelect={onSelect} />
        </>
      )}
    </section>
  );
}

const MAX_SPANS = 12;

interface SpansProps {
  readonly rows: readonly SpanRow[];
  readonly onSelect: (key: string) => void;
}

function Spans({ rows, onSelect }: SpansProps) {
  return (
    <ul className="ins-links ins-links--row">
      {rows.slice(0, MAX_SPANS).map((row) => (
        <li key={spanKey(row)}>
          <SpanButton row={row} onSelect={onSelect} />
        </li>
      ))}
      {rows.length > MAX_SPANS && <li>{rows.length - MAX_SPANS} more</li>}
    </ul>
  );
}

export function ErrorBlock({ error }: { readonly error: ErrorView }) {
  const { message, status_message } = error;
  const cut = useShownSpan()?.cuts.at('/view/error/stacktrace');
  const copied = [error.type, message, status_message, error.stacktrace];
  return (
    <section className="ins-error" role="group" aria-label="Error">
      <header>
        <strong>{error.type ?? 'Error'}</strong>
        {error.code !== null && <code>{error.code}</code>}
        <CopyButton text={copied.filter(Boolean).join('\n')} what="the error" />
      </header>
      {message !== null && message !== '' && <ClampedText text={message} />}
      {status_message !== null && (
        <div className="ins-error__status">
          <ClampedText text={status_message} />
        </div>
      )}
      {error.stacktrace !== null && (
        <details>
          <summary>Stack trace, {groupThousands(countLines(error.stacktrace))} lines</summary>
          {cut === undefined ? (
            <StackTrace text={error.stacktrace} />
          ) : (
            <LongValue cut={cut} beginning={error.stacktrace} what="the stack trace">
              {(text) => <StackTrace text={text} />}
            </LongValue>
          )}
        </details>
      )}
    </section>
  );
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** Files of libraries and of the language: the mistake is rarely there. */
const FOREIGN = /site-packages|dist-packages|node_modules|\/lib\/python\d|<frozen |node:internal/;

/** Stack trace of Python or JavaScript, with runs of library frames folded. */
function StackTrace({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const frames = useMemo(() => foldFrames(text, FOREIGN), [text]);
  const isFolded = frames.some((frame) => frame.isFolded);
  return (
    <>
      {isFolded && (
        <button type="button" className="ins-link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fold the frames of libraries' : 'Show all frames'}
        </button>
      )}
      <div className="ins-error__trace">
        {isWhole || !isFolded ? (
          <ClampedText text={text} what="the stack trace" isData />
        ) : (
          frames.map((frame, at) =>
            frame.isFolded ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames have no identity but their place
              <p key={at} className="ins-error__folded">
                {plural(frame.count, 'frame')} of libraries
              </p>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <ClampedText key={at} text={frame.text} what="the stack trace" isData />
            ),
          )
        )}
      </div>
    </>
  );
}

type Usage = NonNullable<SpanDetail['view']['usage']>;

interface UsageBlockProps {
  readonly usage: Usage;
  readonly detail: SpanDetail;
}

function UsageBlock({ usage, detail }: UsageBlockProps) {
  const isPriced = usage.cost_usd !== null || detail.ended_at === null || usage.is_aggregate;
  return (
    <section className="ins-section">
      <Amounts usage={usage} />
      {usage.is_aggregate && <p className="ins-none">A sum over the spans below it.</p>}
      {!isPriced && (
        <p className="ins-none">
          {usage.input_tokens === null || usage.output_tokens === null
            ? 'No cost: not all of its tokens are known.'
            : `No cost: no price is known for ${detail.model ?? 'a call that names no model'}.`}
        </p>
      )}
      {usage.is_suspect && (
        <p className="ins-losses">
          More tokens were cached than sent: the sender seems to leave them out of its input.
        </p>
      )}
    </section>
  );
}

function Amounts({ usage }: { readonly usage: Usage }) {
  return (
    <dl className="ins-usage">
      <Amount name="in" value={usage.input_tokens} />
      <Amount name="of it cached" value={usage.cache_read_tokens} />
      <Amount name="written to cache" value={usage.cache_write_tokens} />
      <Amount name="out" value={usage.output_tokens} />
      <Amount name="of it reasoning" value={usage.reasoning_tokens} />
      {usage.cost_usd !== null && (
        <div>
          <dd>{formatCost(usage.cost_usd)}</dd>
          <dt>{usage.cost_source === 'prices' ? 'cost by price list' : 'cost'}</dt>
        </div>
      )}
    </dl>
  );
}

function Amount({ name, value }: { readonly name: string; readonly value: number | null }) {
  if (value === null || (value === 0 && name !== 'in' && name !== 'out')) return null;
  return (
    <div>
      <dd>{groupThousands(value)}</dd>
      <dt>{name}</dt>
    </div>
  );
}

type Fact = readonly [name: string, value: string | null | undefined];

function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value != null && value !== '');
  if (known.length === 0) return null;
  return (
    <section className="ins-section">
      <h3>{title}</h3>
      <dl className="ins-facts">
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>
              <VisibleText text={name} />
            </dt>
            <dd>
              <ClampedText text={value ?? ''} what={name} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function spanFacts(row: SpanRow, detail: SpanDetail, trace: Trace): Fact[] {
  const self_ns = selfTime_ns(trace.spans, row);
  const isSame = self_ns === row.duration_ns;
  return [
    ['started', formatTimeOfDay(detail.started_at)],
    ['ended', detail.ended_at === null ? null : formatTimeOfDay(detail.ended_at)],
    ['took', row.duration_ns === null ? null : formatDuration(row.duration_ns)],
    ['of it by itself', self_ns === undefined || isSame ? null : formatDuration(self_ns)],
    ['waited', row.wait_ns === 0 ? null : `${formatDuration(row.wait_ns)}, ${row.waits}×`],
    ['OTLP kind', detail.otlp_kind],
    ['size', formatBytes(row.size_bytes)],
    ['trace state', detail.trace_state],
  ];
}

function modelFacts({ view: { llm }, attributes }: SpanDetail): Fact[] {
  if (llm === null) return [];
  const isSame = llm.model_responded === llm.model_requested;
  const raw = llm.finish_reasons_raw.join(', ');
  const reasons = llm.finish_reasons.join(', ');
  const stall_s = attributes['inspector.stream.longest_stall_s'];
  return [
    ['provider', llm.provider],
    ['model', llm.model_requested ?? llm.model_responded],
    ['answered by', isSame || llm.model_requested === null ? null : llm.model_responded],
    ['stopped because', raw === reasons ? reasons : `${reasons} (sent as ${raw})`],
    [
      'first token after',
      llm.time_to_first_chunk_ms === null ? null : formatDuration(llm.time_to_first_chunk_ms * 1e6),
    ],
    ['longest stall', typeof stall_s === 'number' ? formatDuration(stall_s * 1e9) : null],
    ...dataFacts(llm.request_params),
  ];
}

/** Keys with tags, as in `inspector/service/normalise/keys.py`. */
const TAGS = ['inspector.tags', 'tag.tags', 'langsmith.span.tags', 'logfire.tags'];

/** Facts set by the application: the user, and others. */
function applicationFacts({ view, attributes }: SpanDetail): Fact[] {
  const tags = TAGS.map((name) => attributes[name]).find((value) => value != null);
  return [
    ['user', view.user_id],
    ['tags', Array.isArray(tags) ? tags.join(', ') : typeof tags === 'string' ? tags : null],
    ...dataFacts(view.metadata),
  ];
}

function dataFacts(data: Readonly<Record<string, unknown>>): Fact[] {
  return Object.entries(data).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
}

function mcpFacts({ view: { mcp } }: SpanDetail): Fact[] {
  if (mcp === null) return [];
  return [
    ['method', mcp.method],
    ['request id', mcp.request_id],
    ['server', mcp.server],
    ['transport', mcp.transport],
    ['protocol', mcp.protocol_version],
    ['resource', mcp.resource_uri],
    ['type', mcp.mime_type],
    ['size', mcp.size_bytes === null ? null : formatBytes(mcp.size_bytes)],
    ['prompt', mcp.prompt_name],
  ];
}

function sourceFacts({ resource, scope }: SpanDetail): Fact[] {
  const text = (name: string) => {
    const value = resource.attributes[name];
    return typeof value === 'string' ? value : null;
  };
  return [
    ['service', text('service.name')],
    ['instance', text('service.instance.id')],
    ['instrumentation', [scope.name, scope.version].filter(Boolean).join(' ')],
    [
      'SDK',
      [text('telemetry.sdk.language'), text('telemetry.sdk.version')].filter(Boolean).join(' '),
    ],
  ];
}

/** Notes on what is missing. */
function Losses({ detail }: { readonly detail: SpanDetail }) {
  const { dropped, view } = detail;
  const lost = Object.entries(dropped).filter(([, count]) => count > 0);
  if (lost.length === 0 && view.truncated.length === 0) return null;
  return (
    <section className="ins-section ins-losses">
      <h3>Not here</h3>
      {lost.map(([what, count]) => (
        <p key={what}>
          The sender dropped {count} {what}.
        </p>
      ))}
      {view.truncated.length > 0 && <p>Cut short: {view.truncated.join(', ')}.</p>}
    </section>
  );
}
