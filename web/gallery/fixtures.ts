/** Made-up data for every state of the components. */
import type {
  AuditEntry,
  Message,
  Payload,
  Piece,
  Reading,
  Request,
  Session,
  SessionStatus,
  SpanDetail,
  SpanKind,
  SpanRow,
  View,
} from '../src/api/types.ts';
import {
  exampleRequest,
  exampleSession,
  exampleSpan,
  exampleUsage,
} from '../src/model/examples.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const NOW_MS = Date.now();
/** Start of all fixtures, 40 seconds ago: what runs has run for a while. */
const EPOCH_NS = String(BigInt(NOW_MS - 40_000) * 1_000_000n);

const STATUSES: readonly SessionStatus[] = [
  'waiting',
  'paused',
  'running',
  'lost',
  'failed',
  'cancelled',
  'completed',
];

export const sessions: readonly Session[] = STATUSES.map((status, index) => {
  const isOpen = status === 'waiting' || status === 'paused' || status === 'running';
  return exampleSession({
    id: status,
    title: `A session that is ${status}`,
    status,
    started_at: new Date(NOW_MS - 40_000 - index * 90_000).toISOString(),
    epoch_ns: String(BigInt(EPOCH_NS) - BigInt(index) * 90_000_000_000n),
    ended_at: isOpen ? null : new Date(NOW_MS).toISOString(),
    duration_ms: isOpen ? null : 12_400 * (index + 1),
    paused_since: status === 'paused' ? new Date(NOW_MS - 12_000).toISOString() : null,
    waiting_since: status === 'waiting' ? new Date(NOW_MS - 34_000).toISOString() : null,
    span_count: 13 ** (index % 4),
    error_count: status === 'failed' ? 3 : 0,
    input_tokens: 48_000 * index,
    output_tokens: 1_900,
    cost_usd: index % 3 === 0 ? null : 0.021 * index,
    agents: ['planner', 'writer'],
  });
});

const KINDS: readonly SpanKind[] = [
  'agent',
  'llm',
  'tool',
  'workflow',
  'step',
  'mcp',
  'resource',
  'prompt',
  'retrieval',
  'embedding',
  'memory',
  'guardrail',
  'database',
  'messaging',
  'http',
  'other',
];

function span(id: string, parent: string | null, values: Partial<SpanRow>): SpanRow {
  return exampleSpan({ trace_id: TRACE, span_id: id, parent_span_id: parent, ...values });
}

const S = 1e9;

/** One row of each kind and one of each state, below a running root. */
export const spans: readonly SpanRow[] = [
  span('root', null, {
    name: 'invoke_agent planner',
    kind: 'agent',
    status: 'running',
    duration_ns: null,
  }),
  ...KINDS.map((kind, index) =>
    span(`kind-${kind}`, 'root', {
      name: kind === 'llm' ? 'chat gpt-4o' : `a span of kind ${kind}`,
      kind,
      offset_ns: (index + 0.5) * 1.6 * S,
      duration_ns: (0.2 + (index % 4)) * S,
      ...(kind === 'llm' ? { model: 'gpt-4o', input_tokens: 9120, output_tokens: 1333 } : {}),
    }),
  ),
  span('error', 'root', {
    name: 'execute_tool deploy',
    status: 'error',
    offset_ns: 22 * S,
    duration_ns: 2 * S,
  }),
  span('inner', 'error', {
    name: 'tools/call deploy',
    kind: 'mcp',
    status: 'error',
    offset_ns: 22.2 * S,
    duration_ns: 1.7 * S,
  }),
  span('cancelled', 'root', {
    name: 'execute_tool slow_search',
    status: 'cancelled',
    offset_ns: 25 * S,
    duration_ns: 4 * S,
  }),
  span('lost', 'root', {
    name: 'execute_tool far_away',
    status: 'lost',
    offset_ns: 27 * S,
    duration_ns: null,
  }),
  span('duplicate', 'root', {
    name: 'MCP send tools/call',
    kind: 'mcp',
    offset_ns: 29 * S,
    duration_ns: S,
    duplicate_of: 'kind-mcp',
  }),
  span('waited', 'root', {
    name: 'execute_tool publish',
    offset_ns: 30 * S,
    duration_ns: 3 * S,
    waits: 2,
    wait_ns: 2.1 * S,
    waited: [
      [30.3 * S, 1.6 * S],
      [32.2 * S, 0.5 * S],
    ],
  }),
  span('waiting', 'root', {
    name: 'execute_tool delete_file',
    status: 'running',
    offset_ns: 34 * S,
    duration_ns: null,
    waits: 2,
    wait_ns: S,
    waited: [
      [34.5 * S, S],
      [37 * S, null],
    ],
  }),
  span('running', 'root', {
    name: 'chat claude-sonnet-4-5',
    kind: 'llm',
    status: 'running',
    offset_ns: 36 * S,
    duration_ns: null,
  }),
];

function json(value: string, more: Partial<Payload> = {}): Payload {
  return { text: value, is_json: true, is_truncated: false, original_bytes: null, ...more };
}

export const MARKDOWN = `## Release notes

The **scheduler** retries a failed step *once*, see \`retry_once\`.

1. Breaking: \`run()\` returns a \`Result\`
2. Fixed: a race in the cache
   - [x] with a test
   - [ ] in the notes

| Area | Changes |
|---|---|
| scheduler | 14 |

\`\`\`python
result = await planner.run(goal="ship")
\`\`\`

> Read [the guide](https://example.com/guide) first.

![pixel](https://example.com/p.png) <script>alert(1)</script>`;

export const EXACT_JSON =
  '{"id": 9007199254740993, "price": 1.10, "note": "line\\nbreak", "html": "<b>no</b>", "list": [1, 2, [3, {"deep": null}]], "empty": {}, "flag": true}';

const messages: readonly Message[] = [
  {
    role: 'system',
    origin: 'system',
    name: null,
    finish_reason: null,
    parts: [{ type: 'text', text: 'You are a careful planner.', parse_error: false }],
  },
  {
    role: 'user',
    origin: 'input',
    name: null,
    finish_reason: null,
    parts: [{ type: 'text', text: 'Write the notes.', parse_error: false }],
  },
  {
    role: 'assistant',
    origin: 'input',
    name: 'planner',
    finish_reason: 'tool_call',
    parts: [
      { type: 'reasoning', text: 'I should look at the log first. '.repeat(20) },
      { type: 'tool_call', id: '1', name: 'git_log', arguments: json(EXACT_JSON) },
    ],
  },
  {
    role: 'tool',
    origin: 'input',
    name: null,
    finish_reason: null,
    parts: [
      {
        type: 'tool_result',
        id: '1',
        result: json('["a", "b"]', { is_truncated: true, original_bytes: 90_000 }),
      },
    ],
  },
  {
    role: 'assistant',
    origin: 'output',
    name: null,
    finish_reason: 'stop',
    parts: [{ type: 'text', text: MARKDOWN, parse_error: false }],
  },
];

const NO_VIEW: View = {
  messages: [],
  llm: null,
  tool: null,
  usage: null,
  state: [],
  decisions: [],
  mcp: null,
  error: null,
  user_id: null,
  metadata: {},
  request: {},
  truncated: [],
};

function viewOf(row: SpanRow): View {
  if (row.kind === 'llm') {
    return {
      ...NO_VIEW,
      messages: [...messages],
      usage: {
        input_tokens: 9120,
        output_tokens: 1333,
        cache_read_tokens: 3040,
        cache_write_tokens: null,
        reasoning_tokens: 333,
        cost_usd: 0.021,
        cost_source: 'prices',
        is_aggregate: false,
        is_suspect: false,
      },
    };
  }
  const isError = row.status === 'error';
  return {
    ...NO_VIEW,
    tool: {
      name: row.name,
      call_id: 'call_1',
      description: 'Deploys what was built.',
      arguments: json(EXACT_JSON),
      result: row.status === 'running' ? null : json('{"ok": true}'),
      is_error: isError,
    },
    error: isError
      ? {
          type: 'mcp.McpError',
          code: '-32000',
          message: 'Connection closed: the server exited with code 137',
          status_message: null,
          stacktrace:
            'Traceback (most recent call last):\n  File "agent/tools.py", line 214, in call',
        }
      : null,
    decisions: row.waits
      ? [
          {
            time: new Date(NOW_MS).toISOString(),
            hook: 'before_tool_call',
            interceptor: 'inspector.toml',
            action: 'ask_user',
            reason: 'It deletes files.',
            microseconds: 412,
            before: json('{"path": "build/old"}'),
            after: null,
          },
        ]
      : [],
  };
}

function detailOf(row: SpanRow): SpanDetail {
  return {
    ...row,
    session_id: 'running',
    started_at: new Date(NOW_MS).toISOString(),
    ended_at: null,
    otlp_kind: 'internal',
    status_message: null,
    trace_state: '',
    flags: 1,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.arguments': EXACT_JSON,
    },
    events: [],
    links: [],
    resource: { attributes: { 'service.name': 'planner' } },
    scope: { name: 'subscribers', version: '0.1.0', attributes: {} },
    dropped: { attributes: 2, events: 0, links: 0 },
    view: viewOf(row),
    tools_before: null,
    context: null,
    tool_definition: null,
  };
}

const SECRETIVE = 'build/old\u202e\u200b<img src=x onerror=alert(1)>';

/** One request of each kind. */
export const requests: readonly Request[] = [
  exampleRequest({
    id: 'approval',
    session_id: 'waiting',
    session_title: 'A session that is waiting',
    trace_id: TRACE,
    span_id: 'waiting',
    prompt: 'delete_file removes files for good.',
    args_json: JSON.stringify({ path: SECRETIVE, big: 1, recursive: true }),
    created_at: new Date(NOW_MS - 34_000).toISOString(),
    expires_at: new Date(NOW_MS + 266_000).toISOString(),
  }),
  exampleRequest({
    id: 'question',
    session_id: 'waiting',
    session_title: 'A session that is waiting',
    kind: 'question',
    tool_name: null,
    prompt: 'Which release is it, and when does it go out?',
    args_json: null,
    args_hash: null,
    form_json: JSON.stringify({
      type: 'object',
      required: ['version'],
      properties: {
        version: { type: 'string', title: 'Version', description: 'As in the tag.' },
        day: { type: 'string', format: 'date', title: 'Day' },
        channel: { type: 'string', enum: ['stable', 'beta'], default: 'beta' },
        build: { type: 'integer', minimum: 1 },
        platforms: { type: 'array', items: { enum: ['linux', 'mac', 'windows'] } },
        announce: { type: 'boolean', title: 'Announce it' },
      },
    }),
    created_at: new Date(NOW_MS - 20_000).toISOString(),
  }),
  exampleRequest({
    id: 'breakpoint',
    session_id: 'paused',
    session_title: 'A session that is paused',
    kind: 'breakpoint',
    tool_name: 'git_push',
    can_always: false,
    created_at: new Date(NOW_MS - 10_000).toISOString(),
  }),
  exampleRequest({
    id: 'allowing',
    session_id: 'running',
    session_title: 'A session that is running',
    tool_name: 'send_mail',
    default: 'allow',
    created_at: new Date(NOW_MS - 5_000).toISOString(),
    expires_at: new Date(NOW_MS + 200_000).toISOString(),
  }),
];

const lastCalls: readonly Partial<Reading>[] = [
  {
    trace_id: TRACE,
    span_id: 'call',
    model: 'gpt-4o',
    tool: null,
    error: null,
    said: (['user', 'assistant'] as const).map((role) => ({
      role,
      origin: role === 'user' ? 'input' : 'output',
      name: null,
      finish_reason: null,
      pieces: [
        {
          type: 'text',
          at: [0, 0],
          clip: { text: `What the ${role} says.`, chars: 22, is_json: false, is_truncated: false },
        } as Piece,
      ],
    })),
  },
];

const auditEntries: readonly AuditEntry[] = [
  { action: 'answer', decision: 'deny', detail: 'Keep the build', result: 'applied' } as const,
  { action: 'answer', is_edited: true, result: 'applied' } as const,
  { action: 'request_expired', decision: 'allow', origin: 'agent', result: 'accepted' } as const,
  {
    action: 'answer',
    tool_name: null,
    question: 'Which release is it?',
    result: 'refused',
  } as const,
].map((entry, at) => ({
  id: 9 - at,
  at: new Date(NOW_MS - 1000 * at).toISOString(),
  actor: 'Ann',
  origin: 'browser',
  address: '127.0.0.1',
  request_id: 'approval',
  session_id: 'waiting',
  process_id: 'p1',
  code: null,
  detail: null,
  decision: 'allow',
  args_hash: null,
  is_edited: false,
  tool_name: 'delete_file',
  question: null,
  session_title: 'A session that is waiting',
  ...entry,
}));

/** The made-up answer to a request; undefined if only a recorded one exists. */
export function invented(path: string, query: URLSearchParams): string | undefined {
  const [, of, id, more] = path.split('/').map(decodeURIComponent);
  const body = answerOf(`/${of}`, id, more, query);
  return body === undefined ? undefined : JSON.stringify(body);
}

function columnsOf(rows: readonly SpanRow[]): Record<string, unknown[]> {
  const names = Object.keys(rows[0] ?? {}) as (keyof SpanRow)[];
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
}

function answerOf(
  route: string,
  id: string | undefined,
  more: string | undefined,
  query: URLSearchParams,
): unknown {
  const as_of = 'gallery.0';
  if (route === '/sessions' && id === undefined) {
    return { sessions, next_cursor: null, index: null, as_of };
  }
  if (route === '/sessions' && id === 'usage') return exampleUsage([{ name: 'ada' }]);
  if (route === '/sessions' && id === 'histogram') {
    return { bucket_ms: Number(query.get('bucket_ms')), buckets: [], counted_from: null };
  }
  if (route === '/sessions' && sessions.some((one) => one.id === id)) {
    if (more === undefined) return sessions.find((one) => one.id === id);
    if (more === 'control') return { processes: [{ id: 'p1', name: 'planner' }] };
    if (more === 'last-good') return { session_id: 'completed' };
    if (more === 'transcript') return { session_id: id, readings: lastCalls, left_out: [], as_of };
    if (more === 'spans') {
      const columns = columnsOf(spans);
      return { session_id: id, epoch_ns: EPOCH_NS, columns, next_cursor: null, as_of };
    }
  }
  if (route === '/spans' && id === TRACE) {
    const row = spans.find((one) => one.span_id === more);
    return row && detailOf(row);
  }
  if (route === '/requests' && id === undefined) {
    return { requests, pending_count: requests.length, next_cursor: null, as_of };
  }
  if (route === '/requests') return requests.find((one) => one.id === id);
  if (route === '/audit') return { entries: auditEntries, next_cursor: null };
  return undefined;
}
