-- What failed first in a session, in a form that alike errors share: `body` has the text. Sessions
-- that are stored already get theirs in the background, see `housekeeping`.
ALTER TABLE session ADD COLUMN cause_key TEXT;
DROP INDEX session_by_start;
CREATE INDEX session_by_start ON session (
    started_ns, id, status, ended_ns, waiting_ns, waiting_since_ns, idle_ns, idle_since_ns,
    span_count, error_count, llm_calls, tool_calls, input_tokens, output_tokens, cost_usd, cause_key
);
-- The failures of a session without its other spans.
CREATE INDEX span_failed ON span (session_no) WHERE status = 'error';
