/** The whole span as it was at an instant, before its end. */
import type { SpanDetail } from '../../api/types.ts';

/**
 * Names of attributes that an operation sets when it ends: what came out of it, what it used, how
 * it ended. Attributes have no time of their own: the others are as they ended.
 */
const OF_END =
  /(^|[._])(outputs?|response|result|completions?|usage|cost|token_count|time_to_first_\w+|error|exception|finish_reasons?|documents|status_code)([._]|$)|^inspector\.stream\./i;

export function isOfEnd(name: string): boolean {
  return OF_END.test(name);
}

/** Without what came with the end, or after the instant. */
export function detailAt(detail: SpanDetail, at_ns: number): SpanDetail {
  const { view, events } = detail;
  const isThen = ({ time }: { readonly time: string }) =>
    detail.offset_ns + between_ns(detail.started_at, time) <= at_ns;
  const later = events.findIndex(({ offset_ns }) => offset_ns > at_ns);
  return {
    ...detail,
    status: 'running',
    status_message: null,
    ended_at: null,
    duration_ns: null,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
    attributes: Object.fromEntries(
      Object.entries(detail.attributes).filter(([name]) => !isOfEnd(name)),
    ),
    // By time; those that are left have the same places as in the answer's text.
    events: later < 0 ? events : events.slice(0, later),
    view: {
      ...view,
      error: null,
      usage: null,
      messages: view.messages.filter(({ origin }) => origin !== 'output'),
      decisions: view.decisions.filter(isThen),
      state: view.state.filter(isThen),
      tool: view.tool && { ...view.tool, result: null, is_error: false },
      mcp: view.mcp && { ...view.mcp, response: null, mime_type: null, size_bytes: null },
      llm: view.llm && {
        ...view.llm,
        finish_reasons: [],
        finish_reasons_raw: [],
        model_responded: view.llm.model_requested,
        so_far: null,
        time_to_first_chunk_ms: null,
      },
    },
  };
}

/** Time from one RFC 3339 time to another; both may have more digits than a millisecond's. */
function between_ns(from: string, to: string): number {
  const [first, second] = [partsOf(from), partsOf(to)];
  return (second.whole_ms - first.whole_ms) * 1e6 + (second.rest_ns - first.rest_ns);
}

function partsOf(time: string): { readonly whole_ms: number; readonly rest_ns: number } {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  return {
    whole_ms: Date.parse(time.replace(/\.\d+/, '')),
    rest_ns: Number(fraction.padEnd(9, '0').slice(0, 9)),
  };
}
