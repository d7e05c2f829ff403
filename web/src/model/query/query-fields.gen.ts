// Generated from inspector/service/query/fields.py by `make gen`. Do not edit.

export interface QueryField {
  readonly scope: 'session' | 'span';
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly choices: readonly string[];
}

export const MAX_QUERY_CHARS = 2000;

export const QUERY_FIELDS: readonly QueryField[] = [
  {"scope": "session", "name": "id", "type": "text", "description": "Id.", "choices": []},
  {"scope": "session", "name": "title", "type": "text", "description": "Title.", "choices": []},
  {"scope": "session", "name": "status", "type": "choice", "description": "Status.", "choices": ["waiting", "paused", "running", "lost", "failed", "cancelled", "completed"]},
  {"scope": "session", "name": "engine", "type": "choice", "description": "Engine that runs it.", "choices": ["asyncio", "temporal", "inbound", "otlp"]},
  {"scope": "session", "name": "started", "type": "time", "description": "Start time.", "choices": []},
  {"scope": "session", "name": "ended", "type": "time", "description": "End time.", "choices": []},
  {"scope": "session", "name": "duration", "type": "duration", "description": "Time in which any span ran, until now: without gaps between runs.", "choices": []},
  {"scope": "session", "name": "waiting", "type": "duration", "description": "Time spent waiting for a person, until now.", "choices": []},
  {"scope": "session", "name": "active", "type": "duration", "description": "Duration without waiting.", "choices": []},
  {"scope": "session", "name": "spans", "type": "number", "description": "Number of spans.", "choices": []},
  {"scope": "session", "name": "errors", "type": "number", "description": "Number of failed spans.", "choices": []},
  {"scope": "session", "name": "llm_calls", "type": "number", "description": "Number of LLM calls.", "choices": []},
  {"scope": "session", "name": "tool_calls", "type": "number", "description": "Number of tool calls.", "choices": []},
  {"scope": "session", "name": "input_tokens", "type": "number", "description": "Input tokens.", "choices": []},
  {"scope": "session", "name": "output_tokens", "type": "number", "description": "Output tokens.", "choices": []},
  {"scope": "session", "name": "tokens", "type": "number", "description": "Input and output tokens.", "choices": []},
  {"scope": "session", "name": "cost", "type": "amount", "description": "Cost in US dollars.", "choices": []},
  {"scope": "session", "name": "model", "type": "text", "description": "A model it called.", "choices": []},
  {"scope": "session", "name": "service", "type": "text", "description": "A service it ran in.", "choices": []},
  {"scope": "session", "name": "agent", "type": "text", "description": "An agent that took part.", "choices": []},
  {"scope": "session", "name": "tag", "type": "text", "description": "A tag.", "choices": []},
  {"scope": "session", "name": "user", "type": "text", "description": "An end user.", "choices": []},
  {"scope": "session", "name": "cause", "type": "text", "description": "Root cause of an ended session.", "choices": []},
  {"scope": "session", "name": "cause_key", "type": "text", "description": "Key shared by sessions with the same cause.", "choices": []},
  {"scope": "span", "name": "id", "type": "text", "description": "Id.", "choices": []},
  {"scope": "span", "name": "trace", "type": "text", "description": "Trace id.", "choices": []},
  {"scope": "span", "name": "name", "type": "text", "description": "Name.", "choices": []},
  {"scope": "span", "name": "kind", "type": "choice", "description": "Kind.", "choices": ["agent", "llm", "tool", "workflow", "step", "mcp", "resource", "prompt", "retrieval", "embedding", "memory", "guardrail", "database", "messaging", "http", "other"]},
  {"scope": "span", "name": "status", "type": "choice", "description": "Status.", "choices": ["running", "unset", "ok", "error", "cancelled", "lost"]},
  {"scope": "span", "name": "root", "type": "yes or no", "description": "Whether it is the root of its trace.", "choices": []},
  {"scope": "span", "name": "tool", "type": "text", "description": "The called tool.", "choices": []},
  {"scope": "span", "name": "agent", "type": "text", "description": "The running agent.", "choices": []},
  {"scope": "span", "name": "model", "type": "text", "description": "The called model.", "choices": []},
  {"scope": "span", "name": "started", "type": "time", "description": "Start time.", "choices": []},
  {"scope": "span", "name": "ended", "type": "time", "description": "End time.", "choices": []},
  {"scope": "span", "name": "duration", "type": "duration", "description": "Time from start to end, or until now.", "choices": []},
  {"scope": "span", "name": "waiting", "type": "duration", "description": "Time spent waiting for a person, in ended waits.", "choices": []},
  {"scope": "span", "name": "active", "type": "duration", "description": "Duration without its own waits.", "choices": []},
  {"scope": "span", "name": "input_tokens", "type": "number", "description": "Input tokens.", "choices": []},
  {"scope": "span", "name": "output_tokens", "type": "number", "description": "Output tokens.", "choices": []},
  {"scope": "span", "name": "tokens", "type": "number", "description": "Input and output tokens.", "choices": []},
  {"scope": "span", "name": "cost", "type": "amount", "description": "Cost in US dollars.", "choices": []},
  {"scope": "span", "name": "size", "type": "size", "description": "Stored size.", "choices": []},
];
