/** Keys of a span and of its parent. */

interface TreeSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly offset_ns: number;
}

export interface DuplicableSpan extends TreeSpan {
  /** Span id of the span that reports the same operation. */
  readonly duplicate_of: string | null;
}

/** Identity of a span inside a session, which may hold several traces. */
export function spanKey(span: { readonly trace_id: string; readonly span_id: string }): string {
  return `${span.trace_id}.${span.span_id}`;
}

/** Identity of a span among sessions: two services may have the same one. */
export function keyInSession(sessionId: string, key: string): string {
  return `${sessionId} ${key}`;
}

/** The tool that a span calls, or the agent that it runs; else the span's name. */
export function subjectOf(span: {
  readonly subject: string | null;
  readonly name: string;
}): string {
  return span.subject ?? span.name;
}

/** Key of the parent, or the empty string for a root. */
export function parentKey(span: TreeSpan): string {
  return span.parent_span_id === null ? '' : `${span.trace_id}.${span.parent_span_id}`;
}
