/** Which agent, tool or kind of model a span is of. */
import type { AgentRun, SpanKind, SpanRow } from '../../api/types.ts';
import { spanKey } from './span-key.ts';

/** Agents by the key of a run, where the service knows another name than the span's. */
export type AgentNames = ReadonlyMap<string, string>;

export function agentNames(runs: readonly AgentRun[]): AgentNames {
  return new Map(runs.map((run) => [spanKey(run), run.agent]));
}

/** The agent of a run: `invoke_agent planner` is `planner`. */
export function agentOf(row: SpanRow, names: AgentNames): string {
  const known = names.get(spanKey(row));
  if (known !== undefined) return known;
  const found = row.name.replace(/^(?:invoke_agent|create_agent) (?=.)/, '');
  return (found.endsWith('.agent') ? found.slice(0, -'.agent'.length) : found) || found;
}

/** The tool that a span of this name calls: `MCP send tools/call read` is `read`. */
export function toolName(name: string): string {
  const at = name.lastIndexOf('tools/call ');
  const called = at < 0 ? name : name.slice(at + 'tools/call '.length);
  const found = called.startsWith('execute_tool ') ? called.slice('execute_tool '.length) : called;
  return (found.endsWith('.tool') ? found.slice(0, -'.tool'.length) : found) || name;
}

export function isModel(kind: SpanKind | undefined): boolean {
  return kind === 'llm' || kind === 'embedding';
}
