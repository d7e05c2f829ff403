/** Entries of an MCP log for tests and the gallery. */
import type { McpEntry } from '../../api/types.ts';

const NOTHING: McpEntry = {
  key: 'm1',
  type: 'request',
  source: 'record',
  offset_ns: 0,
  trace_id: null,
  span_id: null,
  exchange: null,
  duplicate_of: null,
  reporter: null,
  direction: 'to_server',
  method: null,
  target: null,
  rpc_id: null,
  connection: null,
  server: null,
  server_version: null,
  transport: null,
  protocol_version: null,
  size_bytes: null,
  text: null,
  is_whole: true,
  form: null,
  fault: null,
  result_type: null,
  state_hash: null,
  progress_token: null,
  about_id: null,
  asks: [],
  answers: [],
  progress: null,
  state: null,
  step: null,
  attempt: null,
};

export function exampleEntry(values: Partial<McpEntry> = {}): McpEntry {
  return { ...NOTHING, ...values };
}

/** A message that was recorded on the wire. */
export function frame(values: Partial<McpEntry>): McpEntry {
  return exampleEntry({ form: 'message', text: '{}', ...values });
}

/** Request and response of an exchange that a span reports; without `end_ns` it runs. */
export function exchange(
  span: string,
  from_ns: number,
  end_ns: number | undefined,
  values: Partial<McpEntry> = {},
): McpEntry[] {
  const [trace_id = '', span_id = ''] = span.split('.');
  const common: Partial<McpEntry> = {
    source: 'span',
    exchange: span,
    trace_id,
    span_id,
    reporter: 'sender',
    method: 'tools/call',
    target: 'search',
    server: 'files',
    ...values,
  };
  const request = exampleEntry({
    ...common,
    key: `${span}:request`,
    offset_ns: from_ns,
    state: end_ns === undefined ? 'running' : 'unset',
    fault: null,
    result_type: null,
    asks: [],
  });
  if (end_ns === undefined) return [request];
  const response = exampleEntry({
    ...common,
    key: `${span}:response`,
    type: 'response',
    direction: values.direction === 'to_client' ? 'to_server' : 'to_client',
    offset_ns: end_ns,
    state: 'unset',
    answers: [],
  });
  return [request, response];
}
