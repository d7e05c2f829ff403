/** The reading of a span as it was at an instant, before its end. */
import type { Reading } from '../../api/types.ts';

/**
 * Without what came with the end, and without the decisions, requests and states that were yet to
 * come. A request that was answered later was open: who answers it is not there yet.
 */
export function readingAt(reading: Reading, at_ns: number): Reading {
  const isThen = ({ offset_ns }: { readonly offset_ns: number }) => offset_ns <= at_ns;
  const { tool, mcp, progress } = reading;
  return {
    ...reading,
    said: reading.said.filter(({ origin }) => origin !== 'output'),
    so_far: null,
    error: null,
    finish_reasons: [],
    first_chunk_ms: null,
    tool: tool && { ...tool, result: null, is_error: false },
    mcp: mcp && { ...mcp, response: null },
    progress: progress !== null && isThen(progress) ? progress : null,
    decisions: reading.decisions.filter(isThen),
    asked: reading.asked.filter(
      ({ offset_ns, waited_ns }) => offset_ns + (waited_ns ?? 0) <= at_ns,
    ),
    state: reading.state.filter(isThen),
  };
}
