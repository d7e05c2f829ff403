/**
 * Overview of a span: its error, what went in, what came out, its numbers, and, folded, where it
 * came from.
 */
import { useMemo } from 'react';
import type { SpanDetail, SpanRow } from '../../api/types.ts';
import {
  formatBytes,
  formatCost,
  formatDuration,
  groupThousands,
  plural,
} from '../../model/text/format.ts';
import type { Times } from '../../model/text/times.ts';
import { selfTime_ns } from '../../model/trace/span-family.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { type Totals, totalsOf } from '../../model/trace/totals.ts';
import type { Trace } from '../../state/trace.ts';
import { FACT_TEXT, SPAN_TEXT } from '../../texts.ts';
import { useCell, useNow } from '../parts/context.ts';
import { useTimes } from '../parts/times.tsx';
import { ErrorBlock } from '../parts/values/error-block.tsx';
import { ContextSection } from './context-section.tsx';
import { type Fact, FactList, Facts } from './facts.tsx';
import { Fold } from './fold.tsx';
import { InputOutput } from './input-output.tsx';
import { Propagation } from './propagation.tsx';
import { RequestFacts } from './request-facts.tsx';
import './overview.css';

interface OverviewProps {
  readonly row: SpanRow;
  readonly detail: SpanDetail;
  readonly trace: Trace;
  readonly onSelect: (key: string) => void;
}

export function Overview({ row, detail, trace, onSelect }: OverviewProps) {
  const { view } = detail;
  const times = useTimes();
  const totals = useTotals(trace, row);
  const hasStatus = detail.status_message !== null && detail.status_message !== '';
  return (
    <>
      {view.error !== null && <ErrorBlock error={view.error} />}
      {view.error === null && hasStatus && <p className="ins-section">{detail.status_message}</p>}
      {row.status === 'error' && <Propagation {...{ row, trace, onSelect }} />}
      <InputOutput {...{ row, detail, trace, totals }} />
      <RequestFacts request={view.request} />
      <Numbers {...{ row, detail, trace, totals }} />
      <ContextSection key={spanKey(row)} detail={detail} onSelect={onSelect} />
      <Facts title={SPAN_TEXT.model} facts={modelFacts(detail)} />
      <Facts title="MCP" facts={mcpFacts(detail)} />
      <Facts title={SPAN_TEXT.application} facts={applicationFacts(detail)} />
      <Losses detail={detail} />
      <section className="ins-section">
        <Fold label={sourceLine(detail)}>
          <FactList facts={sourceFacts(row, detail, times)} />
        </Fold>
      </section>
    </>
  );
}

/** Totals of an agent or a workflow; undefined for other spans. */
function useTotals(trace: Trace, row: SpanRow): Totals | undefined {
  const isWanted = row.kind === 'agent' || row.kind === 'workflow';
  const structure = useCell(trace.structure);
  const now_ms = useNow(isWanted && row.status === 'running' ? 1000 : undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is below changes with these
  return useMemo(() => {
    const { forest, spans } = trace;
    const number = forest.numberOf(spanKey(row));
    if (!isWanted || number === undefined) return undefined;
    return totalsOf(forest, (key) => spans.get(key), number);
  }, [trace, row, isWanted, structure, now_ms]);
}

interface NumbersProps {
  readonly row: SpanRow;
  readonly detail: SpanDetail;
  readonly trace: Trace;
  readonly totals: Totals | undefined;
}

function Numbers({ row, detail, trace, totals }: NumbersProps) {
  const { usage } = detail.view;
  const items = [
    ...timeNumbers(row, detail, trace),
    ...(totals === undefined ? usageNumbers(usage) : totalNumbers(totals)),
  ].filter((item) => item !== undefined);
  const note = totals === undefined ? usageNote(detail) : undefined;
  if (items.length === 0 && note === undefined) return null;
  return (
    <section className="ins-section" aria-label={SPAN_TEXT.numbers}>
      <dl className="ins-usage">
        {items.map(({ value, name, title }) => (
          <div key={name} title={title}>
            <dd>{value}</dd>
            <dt>{name}</dt>
          </div>
        ))}
      </dl>
      {note !== undefined && <p className="ins-none">{note}</p>}
      {usage?.is_suspect === true && <p className="ins-losses">{SPAN_TEXT.suspect}</p>}
    </section>
  );
}

interface NumberItem {
  readonly value: string;
  readonly name: string;
  readonly title?: string;
}

function timeNumbers(
  row: SpanRow,
  { view: { llm }, attributes }: SpanDetail,
  trace: Trace,
): (NumberItem | undefined)[] {
  const self_ns = selfTime_ns(trace.spans, row);
  const stall_s = attributes['inspector.stream.longest_stall_s'];
  const first_ms = llm?.time_to_first_chunk_ms;
  const time = (name: string, ns: number, title?: string) => ({
    name,
    value: formatDuration(ns),
    ...(title === undefined ? {} : { title }),
  });
  return [
    self_ns === undefined || self_ns === row.duration_ns
      ? undefined
      : time(SPAN_TEXT.selfTime, self_ns, SPAN_TEXT.selfTimeTitle),
    row.wait_ns === 0
      ? undefined
      : time(SPAN_TEXT.waiting, row.wait_ns, SPAN_TEXT.waits(row.waits)),
    first_ms == null ? undefined : time(SPAN_TEXT.firstToken, first_ms * 1e6),
    typeof stall_s === 'number' ? time(SPAN_TEXT.longestPause, stall_s * 1e9) : undefined,
  ];
}

type Usage = SpanDetail['view']['usage'];

function usageNumbers(usage: Usage): (NumberItem | undefined)[] {
  if (usage === null) return [];
  return [
    amount(SPAN_TEXT.tokensIn, usage.input_tokens),
    amount(SPAN_TEXT.cached, usage.cache_read_tokens || null),
    amount(SPAN_TEXT.cacheWritten, usage.cache_write_tokens || null),
    amount(SPAN_TEXT.tokensOut, usage.output_tokens),
    amount(SPAN_TEXT.reasoning, usage.reasoning_tokens || null),
    cost(usage.cost_usd, usage.cost_source === 'prices' ? SPAN_TEXT.costByPrices : undefined),
  ];
}

function totalNumbers(totals: Totals): (NumberItem | undefined)[] {
  const title = totals.agents > 0 ? SPAN_TEXT.withSubAgents : undefined;
  const { turns, turnsBelow } = totals;
  const inside = turnsBelow > 0 ? SPAN_TEXT.turnsBelow(turnsBelow) : undefined;
  return [
    amount(turns === 1 ? SPAN_TEXT.turn : SPAN_TEXT.turns, turns || null, inside),
    amount(SPAN_TEXT.toolCalls(totals.tools), totals.tools || null, title),
    amount(SPAN_TEXT.subAgents(totals.agents), totals.agents || null),
    amount(SPAN_TEXT.errors(totals.errors), totals.errors || null, title),
    amount(SPAN_TEXT.tokensIn, totals.input_tokens ?? null, title),
    amount(SPAN_TEXT.tokensOut, totals.output_tokens ?? null, title),
    cost(totals.cost_usd ?? null, title),
  ];
}

function amount(name: string, count: number | null, title?: string): NumberItem | undefined {
  if (count === null) return undefined;
  return { name, value: groupThousands(count), ...(title === undefined ? {} : { title }) };
}

function cost(usd: number | null, title: string | undefined): NumberItem | undefined {
  if (usd === null) return undefined;
  return {
    name: SPAN_TEXT.cost,
    value: formatCost(usd),
    ...(title === undefined ? {} : { title }),
  };
}

function usageNote({ view: { usage }, ended_at, model }: SpanDetail): string | undefined {
  if (usage === null) return undefined;
  if (usage.is_aggregate) return SPAN_TEXT.aggregate;
  if (usage.cost_usd !== null || ended_at === null) return undefined;
  if (usage.input_tokens === null || usage.output_tokens === null) return SPAN_TEXT.tokensUnknown;
  return SPAN_TEXT.noPrice(model);
}

function modelFacts({ view: { llm } }: SpanDetail): Fact[] {
  if (llm === null) return [];
  const isSame = llm.model_responded === llm.model_requested;
  const raw = llm.finish_reasons_raw.join(', ');
  const reasons = llm.finish_reasons.join(', ');
  return [
    [FACT_TEXT.model, llm.model_requested ?? llm.model_responded],
    [FACT_TEXT.answeredBy, isSame || llm.model_requested === null ? null : llm.model_responded],
    [FACT_TEXT.provider, llm.provider],
    [FACT_TEXT.finishReason, raw === reasons ? reasons : SPAN_TEXT.sentAs(reasons, raw)],
    ...dataFacts(llm.request_params),
  ];
}

/** Keys with tags, as in `inspector/service/normalise/keys.py`. */
const TAGS = ['inspector.tags', 'tag.tags', 'langsmith.span.tags', 'logfire.tags'];

/** Facts set by the application: the user, and others. */
function applicationFacts({ view, attributes }: SpanDetail): Fact[] {
  const tags = TAGS.map((name) => attributes[name]).find((value) => value != null);
  return [
    [FACT_TEXT.user, view.user_id],
    [
      FACT_TEXT.tags,
      Array.isArray(tags) ? tags.join(', ') : typeof tags === 'string' ? tags : null,
    ],
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
    [FACT_TEXT.method, mcp.method],
    [FACT_TEXT.requestId, mcp.request_id],
    [FACT_TEXT.server, mcp.server],
    [FACT_TEXT.transport, mcp.transport],
    [FACT_TEXT.protocol, mcp.protocol_version],
    [FACT_TEXT.resource, mcp.resource_uri],
    [FACT_TEXT.type, mcp.mime_type],
    [FACT_TEXT.size, mcp.size_bytes === null ? null : formatBytes(mcp.size_bytes)],
    [FACT_TEXT.prompt, mcp.prompt_name],
  ];
}

function resourceText({ resource }: SpanDetail, name: string): string | null {
  const value = resource.attributes[name];
  return typeof value === 'string' ? value : null;
}

/** The folded section's line: service and instrumentation. */
function sourceLine(detail: SpanDetail): string {
  const names = [resourceText(detail, 'service.name'), detail.scope.name].filter(Boolean);
  return [SPAN_TEXT.source, ...(names.length > 0 ? [names.join(' · ')] : [])].join(': ');
}

function sourceFacts(row: SpanRow, detail: SpanDetail, times: Times): Fact[] {
  const { scope, trace_state, otlp_kind, started_at, ended_at } = detail;
  const sdk = ['telemetry.sdk.language', 'telemetry.sdk.version'];
  return [
    [FACT_TEXT.started, times.exactly(started_at)],
    [FACT_TEXT.ended, ended_at === null ? null : times.exactly(ended_at)],
    [FACT_TEXT.duration, row.duration_ns === null ? null : formatDuration(row.duration_ns)],
    [FACT_TEXT.service, resourceText(detail, 'service.name')],
    [FACT_TEXT.instance, resourceText(detail, 'service.instance.id')],
    [FACT_TEXT.instrumentation, [scope.name, scope.version].filter(Boolean).join(' ')],
    [
      FACT_TEXT.sdk,
      sdk
        .map((name) => resourceText(detail, name))
        .filter(Boolean)
        .join(' '),
    ],
    [FACT_TEXT.otlpKind, otlp_kind],
    [FACT_TEXT.size, formatBytes(row.size_bytes)],
    [FACT_TEXT.traceState, trace_state],
  ];
}

/** Notes on what is missing. */
function Losses({ detail }: { readonly detail: SpanDetail }) {
  const { dropped, view } = detail;
  const lost = Object.entries(dropped).filter(([, count]) => count > 0);
  if (lost.length === 0 && view.truncated.length === 0) return null;
  return (
    <section className="ins-section ins-losses">
      <h3>{SPAN_TEXT.missing}</h3>
      {lost.map(([what, count]) => (
        <p key={what}>{SPAN_TEXT.dropped(plural(count, what.replace(/s$/, '')))}</p>
      ))}
      {view.truncated.length > 0 && <p>{SPAN_TEXT.cutShort(view.truncated.join(', '))}</p>}
    </section>
  );
}
