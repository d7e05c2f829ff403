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
  {"scope": "session", "name": "id", "type": "text", "description": "Its id.", "choices": []},
  {"scope": "session", "name": "title", "type": "text", "description": "Its title.", "choices": []},
  {"scope": "session", "name": "status", "type": "choice", "description": "Its status.", "choices": ["waiting", "paused", "running", "lost", "failed", "cancelled", "completed"]},
  {"scope": "session", "name": "engine", "type": "choice", "description": "What executes it.", "choices": ["asyncio", "temporal", "inbound", "otlp"]},
  {"scope": "session", "name": "started", "type": "time", "description": "Its start.", "choices": []},
  {"scope": "session", "name": "ended", "type": "time", "description": "Its end.", "choices": []},
  {"scope": "session", "name": "duration", "type": "duration", "description": "How long anything of it ran, until now: without the pauses between its runs.", "choices": []},
  {"scope": "session", "name": "waiting", "type": "duration", "description": "How long any of it waited for a person, until now.", "choices": []},
  {"scope": "session", "name": "active", "type": "duration", "description": "Its duration without that.", "choices": []},
  {"scope": "session", "name": "spans", "type": "number", "description": "How many spans it has.", "choices": []},
  {"scope": "session", "name": "errors", "type": "number", "description": "How many of them failed.", "choices": []},
  {"scope": "session", "name": "llm_calls", "type": "number", "description": "How often it called a model.", "choices": []},
  {"scope": "session", "name": "tool_calls", "type": "number", "description": "How often it called a tool.", "choices": []},
  {"scope": "session", "name": "input_tokens", "type": "number", "description": "Tokens sent to models.", "choices": []},
  {"scope": "session", "name": "output_tokens", "type": "number", "description": "Tokens made by models.", "choices": []},
  {"scope": "session", "name": "tokens", "type": "number", "description": "Both together.", "choices": []},
  {"scope": "session", "name": "cost", "type": "amount", "description": "What it cost, in US dollars.", "choices": []},
  {"scope": "session", "name": "model", "type": "text", "description": "A model that it used.", "choices": []},
  {"scope": "session", "name": "service", "type": "text", "description": "A service that it ran in.", "choices": []},
  {"scope": "session", "name": "agent", "type": "text", "description": "An agent that took part.", "choices": []},
  {"scope": "session", "name": "tag", "type": "text", "description": "A tag that it has.", "choices": []},
  {"scope": "session", "name": "user", "type": "text", "description": "A user for whom it worked.", "choices": []},
  {"scope": "session", "name": "cause", "type": "text", "description": "What failed first, once it is over.", "choices": []},
  {"scope": "session", "name": "cause_key", "type": "text", "description": "The group of alike causes that it is part of.", "choices": []},
  {"scope": "span", "name": "id", "type": "text", "description": "Its id.", "choices": []},
  {"scope": "span", "name": "trace", "type": "text", "description": "The id of its trace.", "choices": []},
  {"scope": "span", "name": "name", "type": "text", "description": "Its name.", "choices": []},
  {"scope": "span", "name": "kind", "type": "choice", "description": "What it is.", "choices": ["agent", "llm", "tool", "workflow", "step", "mcp", "resource", "prompt", "retrieval", "embedding", "memory", "guardrail", "http", "other"]},
  {"scope": "span", "name": "status", "type": "choice", "description": "Its status.", "choices": ["running", "unset", "ok", "error", "cancelled", "lost"]},
  {"scope": "span", "name": "root", "type": "yes or no", "description": "Whether its trace begins with it.", "choices": []},
  {"scope": "span", "name": "tool", "type": "text", "description": "The tool that it calls.", "choices": []},
  {"scope": "span", "name": "agent", "type": "text", "description": "The agent that it runs.", "choices": []},
  {"scope": "span", "name": "model", "type": "text", "description": "The model that it calls.", "choices": []},
  {"scope": "span", "name": "started", "type": "time", "description": "Its start.", "choices": []},
  {"scope": "span", "name": "ended", "type": "time", "description": "Its end.", "choices": []},
  {"scope": "span", "name": "duration", "type": "duration", "description": "From its beginning to its end, or until now.", "choices": []},
  {"scope": "span", "name": "waiting", "type": "duration", "description": "How long it waited for a person: waits that are over.", "choices": []},
  {"scope": "span", "name": "active", "type": "duration", "description": "Its duration without its own waits.", "choices": []},
  {"scope": "span", "name": "input_tokens", "type": "number", "description": "Tokens sent to the model.", "choices": []},
  {"scope": "span", "name": "output_tokens", "type": "number", "description": "Tokens made by the model.", "choices": []},
  {"scope": "span", "name": "tokens", "type": "number", "description": "Both together.", "choices": []},
  {"scope": "span", "name": "cost", "type": "amount", "description": "What it cost, in US dollars.", "choices": []},
  {"scope": "span", "name": "size", "type": "size", "description": "How many bytes it takes.", "choices": []},
];
