/** Lines of the MCP log in order, each with its depth. Pure. */
import type { SpanRow } from '../../api/types.ts';
import type { McpCall } from './mcp-calls.ts';

export interface McpFilter {
  /** Name of the server; undefined: any. */
  readonly server: string | undefined;
  readonly method: string | undefined;
  readonly isErrorsOnly: boolean;
  readonly hasNotifications: boolean;
  readonly find: string;
}

interface CallRow {
  readonly kind: 'call';
  readonly key: string;
  readonly call: McpCall;
  /** Depth: 1 below the call that it was sent during. */
  readonly depth: number;
}

interface GroupRow {
  readonly kind: 'group';
  readonly key: string;
  /** The agent, workflow or tool whose calls follow; undefined if the caller is not known. */
  readonly span: SpanRow | undefined;
  readonly calls: number;
  readonly errors: number;
  readonly isFolded: boolean;
}

export type LogRow = CallRow | GroupRow;

export function isFault(call: McpCall): boolean {
  return call.state === 'error' || call.state === 'unanswered';
}

export function fits(call: McpCall, filter: McpFilter): boolean {
  if (filter.server !== undefined && call.server !== filter.server) return false;
  if (filter.method !== undefined && call.method !== filter.method) return false;
  if (filter.isErrorsOnly && !isFault(call) && call.kind !== 'stderr') return false;
  if (!filter.hasNotifications && call.kind === 'notification') return false;
  return filter.find === '' || call.words.includes(filter.find.toLowerCase());
}

/** Calls in order of time. */
export function flatRows(calls: readonly McpCall[]): CallRow[] {
  return calls.map((call) => ({ kind: 'call', key: call.key, call, depth: 0 }));
}

/**
 * Calls below their callers, which are in order of their first calls; what a server asked for lies
 * below the call that it was sent during.
 */
export function nestedRows(
  calls: readonly McpCall[],
  callerOf: (call: McpCall) => SpanRow | undefined,
  isFolded: (key: string) => boolean,
): LogRow[] {
  const groups = new Map<string, { span: SpanRow | undefined; calls: McpCall[] }>();
  const known = new Set(calls.map(({ key }) => key));
  const inside = new Map<string, McpCall[]>();
  for (const call of calls) {
    if (call.during !== undefined && call.during !== call.key && known.has(call.during)) {
      const beside = inside.get(call.during);
      if (beside === undefined) inside.set(call.during, [call]);
      else beside.push(call);
      continue;
    }
    const span = callerOf(call);
    const key = span === undefined ? '' : `${span.trace_id}.${span.span_id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { span, calls: [call] });
    else group.calls.push(call);
  }
  const rows: LogRow[] = [];
  for (const [place, group] of groups) {
    const key = `group ${place}`;
    const all = group.calls.flatMap((call) => [call, ...(inside.get(call.key) ?? [])]);
    rows.push({
      kind: 'group',
      key,
      span: group.span,
      calls: all.filter(({ kind }) => kind === 'call').length,
      errors: all.filter(isFault).length,
      isFolded: isFolded(key),
    });
    if (isFolded(key)) continue;
    for (const call of group.calls) {
      rows.push({ kind: 'call', key: call.key, call, depth: 1 });
      for (const inner of inside.get(call.key) ?? []) {
        rows.push({ kind: 'call', key: inner.key, call: inner, depth: 2 });
      }
    }
  }
  return rows;
}

/** Kinds of span that an exchange can be made for. */
const CALLERS: ReadonlySet<string> = new Set(['agent', 'workflow', 'tool']);
const MAX_ANCESTORS = 64;

export function callerOf(
  call: McpCall,
  get: (key: string) => SpanRow | undefined,
): SpanRow | undefined {
  if (call.spanKey === undefined) return undefined;
  let span = get(call.spanKey);
  // A connection is opened by the span that it is reported on, not within an exchange of that.
  const isOwn = call.kind === 'transport' || call.kind === 'stderr';
  if (span !== undefined && isOwn && CALLERS.has(span.kind)) return span;
  for (let steps = 0; span !== undefined && steps < MAX_ANCESTORS; steps += 1) {
    const above: SpanRow | undefined = get(`${span.trace_id}.${span.parent_span_id}`);
    if (above === undefined) return undefined;
    if (CALLERS.has(above.kind) && above.duplicate_of === null) return above;
    span = above;
  }
  return undefined;
}
