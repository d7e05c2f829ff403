/** Hand-offs, in which one agent gives the conversation to another, as instrumentations name them. */
import type { Handoff, SpanRow } from '../../api/types.ts';
import { subjectOf } from '../trace/span-key.ts';

export interface HandOff {
  /** The agent that hands off; undefined: the agent that the span is below. */
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * Names of spans: OpenInference and OpenTelemetry (`handoff to billing`), Sentry (`handoff from
 * triage to billing`), Logfire (`Handoff: triage → billing`), OpenLLMetry (`triage →
 * billing.handoff`).
 */
const NAMES = [
  /^hand-?off (?:from (?<from>.+?) )?to (?<to>.+)$/i,
  /^hand-?off: *(?<from>.+?) *(?:→|->) *(?<to>.+)$/i,
  /^(?<from>.+?) *(?:→|->) *(?<to>.+)\.handoff$/i,
];
/** The tool for a hand-off that the OpenAI Agents SDK and LangGraph give to models. */
const TOOL = /^transfer_to_(?<to>.+)$/;
const MOST_CHARACTERS = 300;

/** The hand-off in a span's name; undefined if it names none. */
export function handOffOf(row: SpanRow): HandOff | undefined {
  if (row.name.length > MOST_CHARACTERS) return undefined;
  if (row.kind === 'tool') {
    const to = TOOL.exec(subjectOf(row))?.groups?.['to'];
    if (to !== undefined) return { from: undefined, to };
  }
  for (const pattern of NAMES) {
    const groups = pattern.exec(row.name)?.groups;
    if (groups?.['to'] !== undefined) return { from: groups['from'], to: groups['to'] };
  }
  return undefined;
}

/** Hand-offs that the service read from attributes, by key of the span. */
export function handOffsByKey(handoffs: readonly Handoff[]): ReadonlyMap<string, HandOff> {
  return new Map(
    handoffs.map(({ span, from_agent, to_agent }) => [
      `${span.trace_id}.${span.span_id}`,
      { from: from_agent ?? undefined, to: to_agent },
    ]),
  );
}

/** Normalised name, equal for `transfer_to_policy_expert` and the agent `Policy expert`. */
export function looseName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}
