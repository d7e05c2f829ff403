/** Rows with a value in every field, for tests and the gallery. */
import type { Request, Session, SessionUsage, SpanRow, UsageGroup } from '../api/types.ts';
import { atOnce } from './slices.ts';
import { SpanForest } from './trace/span-forest.ts';
import { type DuplicableSpan, spanKey } from './trace/span-key.ts';
import { type SpanTree, spanTreeOf } from './trace/span-tree.ts';

export function exampleSpan(values: Partial<SpanRow> = {}): SpanRow {
  return {
    trace_id: 't',
    span_id: 'a',
    parent_span_id: null,
    name: 'work',
    kind: 'tool',
    status: 'ok',
    offset_ns: 0,
    duration_ns: 100,
    wait_ns: 0,
    waits: 0,
    waited: [],
    model: null,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
    size_bytes: 0,
    duplicate_of: null,
    subject: null,
    stall_start_ns: null,
    stall_ns: null,
    service: null,
    change: 1,
    ...values,
  };
}

/** Groups that have the same, but for what each sets; their total as if they shared nothing. */
export function exampleUsage(
  partial: readonly Partial<UsageGroup>[],
  values: Partial<SessionUsage> = {},
): SessionUsage {
  const groups = partial.map((one) => ({
    name: 'ada',
    session_count: 3,
    llm_calls: 40,
    tool_calls: 12,
    input_tokens: 90_000,
    output_tokens: 8_000,
    cost_usd: 0.5,
    uncosted_calls: one.cost_usd === null && one.input_tokens !== 0 ? 40 : 0,
    ...one,
  }));
  const sum = (of: (one: UsageGroup) => number) => groups.reduce((all, one) => all + of(one), 0);
  const total = {
    session_count: sum((one) => one.session_count),
    llm_calls: sum((one) => one.llm_calls),
    tool_calls: sum((one) => one.tool_calls),
    input_tokens: sum((one) => one.input_tokens),
    output_tokens: sum((one) => one.output_tokens),
    cost_usd: groups.some((one) => one.cost_usd !== null) ? sum((one) => one.cost_usd ?? 0) : null,
    uncosted_calls: sum((one) => one.uncosted_calls),
  };
  return { groups, total, group_count: groups.length, counted_from: null, ...values };
}

export function exampleSession(values: Partial<Session> = {}): Session {
  return {
    id: 's',
    title: 'Merge conflict in main',
    status: 'running',
    engine: 'otlp',
    started_at: '2026-01-01T00:00:30.000Z',
    ended_at: null,
    duration_ms: null,
    waiting_ms: 0,
    waiting_since: null,
    paused_since: null,
    silent_since: null,
    idle_ms: 0,
    idle_since: null,
    epoch_ns: '1767225630000000000',
    span_count: 1,
    error_count: 0,
    llm_calls: 0,
    tool_calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: null,
    models: ['gpt-4o'],
    services: ['bot'],
    agents: ['planner'],
    tags: [],
    users: [],
    has_mcp: false,
    dropped_count: 0,
    cause: null,
    cause_key: null,
    cause_span: null,
    answer: null,
    change: 1,
    changed_at: '2026-01-01T00:00:30.000Z',
    ...values,
  };
}

export function exampleRequest(values: Partial<Request> = {}): Request {
  return {
    id: 'r',
    session_id: 's',
    session_title: 'Merge conflict in main',
    trace_id: null,
    span_id: null,
    process_id: 'p',
    kind: 'approval',
    status: 'pending',
    hook: 'tool_before_execute',
    interceptor: 'policy ask-delete',
    tool_name: 'delete_file',
    prompt: '',
    options: [],
    args_json: '{"path":"build/old"}',
    args_text: null,
    args_hash: '5f'.repeat(32),
    form_json: null,
    signal_name: null,
    default: 'deny',
    can_always: true,
    created_at: '2026-01-01T00:00:30.000Z',
    expires_at: null,
    closed_at: null,
    answer: null,
    transitions: [
      { status: 'pending', at: '2026-01-01T00:00:30Z', actor: 'p', origin: 'agent', reason: null },
    ],
    ...values,
  };
}

/** A forest of these spans. */
export function forestOf(spans: Iterable<DuplicableSpan>): SpanForest {
  const forest = new SpanForest();
  for (const span of spans) forest.put(span);
  return forest;
}

export function treeOf(spans: readonly SpanRow[]): SpanTree {
  const rows = new Map(spans.map((span) => [spanKey(span), span]));
  return atOnce(spanTreeOf(forestOf(spans), (key) => rows.get(key)));
}
