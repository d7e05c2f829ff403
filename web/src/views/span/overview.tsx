/** The span in short: why it failed, what it used, what it was asked with. */
import type { ErrorView, SpanDetail, SpanRow } from '../../api/types.ts';
import {
  formatBytes,
  formatCost,
  formatDuration,
  formatTimeOfDay,
  groupThousands,
} from '../../model/format.ts';
import { CopyButton } from '../copy-button.tsx';
import { ClampedText } from './clamped-text.tsx';
import './overview.css';

interface OverviewProps {
  readonly row: SpanRow;
  readonly detail: SpanDetail;
}

export function Overview({ row, detail }: OverviewProps) {
  const { view } = detail;
  return (
    <>
      {view.error !== null && <ErrorBlock error={view.error} status={detail.status_message} />}
      {view.error === null && detail.status_message !== null && detail.status_message !== '' && (
        <p className="ins-section">{detail.status_message}</p>
      )}
      {view.usage !== null && <UsageBlock usage={view.usage} />}
      <Facts title="Span" facts={spanFacts(row, detail)} />
      <Facts title="Model" facts={modelFacts(detail)} />
      <Facts title="MCP" facts={mcpFacts(detail)} />
      <Facts title="Came from" facts={sourceFacts(detail)} />
      {view.llm !== null && view.llm.tools_offered.length > 0 && <ToolsOffered detail={detail} />}
      <Losses detail={detail} />
    </>
  );
}

function ErrorBlock({
  error,
  status,
}: {
  readonly error: ErrorView;
  readonly status: string | null;
}) {
  const message = error.message ?? status;
  return (
    <section className="ins-error" role="group" aria-label="Error">
      <header>
        <strong>{error.type ?? 'Error'}</strong>
        {error.code !== null && <code>{error.code}</code>}
        <CopyButton
          text={[error.type, message, error.stacktrace].filter(Boolean).join('\n')}
          what="the error"
        />
      </header>
      {message !== null && message !== '' && <ClampedText text={message} />}
      {error.stacktrace !== null && (
        <details>
          <summary>Stack trace</summary>
          <pre>{error.stacktrace}</pre>
        </details>
      )}
    </section>
  );
}

type Usage = NonNullable<SpanDetail['view']['usage']>;

function UsageBlock({ usage }: { readonly usage: Usage }) {
  return (
    <dl className="ins-usage ins-section">
      <Amount name="in" value={usage.input_tokens} />
      <Amount name="of it cached" value={usage.cache_read_tokens} />
      <Amount name="written to cache" value={usage.cache_write_tokens} />
      <Amount name="out" value={usage.output_tokens} />
      <Amount name="of it reasoning" value={usage.reasoning_tokens} />
      {usage.cost_usd !== null && (
        <div>
          <dd>{formatCost(usage.cost_usd)}</dd>
          <dt>cost</dt>
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
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function spanFacts(row: SpanRow, detail: SpanDetail): Fact[] {
  return [
    ['started', formatTimeOfDay(detail.started_at)],
    ['ended', detail.ended_at === null ? null : formatTimeOfDay(detail.ended_at)],
    ['took', row.duration_ns === null ? null : formatDuration(row.duration_ns)],
    ['waited', row.wait_ns === 0 ? null : `${formatDuration(row.wait_ns)}, ${row.waits}×`],
    ['OTLP kind', detail.otlp_kind],
    ['size', formatBytes(row.size_bytes)],
    ['links', detail.links.length === 0 ? null : String(detail.links.length)],
    ['shows the same as', row.duplicate_of],
  ];
}

function modelFacts({ view: { llm } }: SpanDetail): Fact[] {
  if (llm === null) return [];
  const isSame = llm.model_responded === llm.model_requested;
  return [
    ['provider', llm.provider],
    ['model', llm.model_requested ?? llm.model_responded],
    ['answered by', isSame || llm.model_requested === null ? null : llm.model_responded],
    ['stopped because', llm.finish_reasons.join(', ')],
    [
      'first token after',
      llm.time_to_first_chunk_ms === null ? null : formatDuration(llm.time_to_first_chunk_ms * 1e6),
    ],
    ...Object.entries(llm.request_params).map(
      ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
  ];
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

function ToolsOffered({ detail }: { readonly detail: SpanDetail }) {
  return (
    <section className="ins-section">
      <h3>Tools offered</h3>
      <dl className="ins-facts">
        {detail.view.llm?.tools_offered.map((tool) => (
          <div key={tool.name}>
            <dt>{tool.name}</dt>
            <dd>{tool.description}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What is not here, and that we know of. */
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
