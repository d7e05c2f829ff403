-- What sessions are sorted and counted by, apart from the wide rows: one index that is read from end
-- to end in place of one for each order, which every change of a session would have to keep.
ALTER TABLE session ADD COLUMN ended_ns INTEGER;
ALTER TABLE session ADD COLUMN waiting_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN waiting_since_ns INTEGER;
ALTER TABLE session ADD COLUMN span_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN error_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN llm_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN tool_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN cost_usd REAL;
UPDATE session SET
    ended_ns = CAST(body AS TEXT) ->> 'ended_ns',
    waiting_ns = coalesce(CAST(body AS TEXT) ->> 'waiting_ns', 0),
    waiting_since_ns = CAST(body AS TEXT) ->> 'waiting_since_ns',
    span_count = coalesce(CAST(body AS TEXT) ->> 'span_count', 0),
    error_count = coalesce(CAST(body AS TEXT) ->> 'error_count', 0),
    llm_calls = coalesce(CAST(body AS TEXT) ->> 'llm_calls', 0),
    tool_calls = coalesce(CAST(body AS TEXT) ->> 'tool_calls', 0),
    input_tokens = coalesce(CAST(body AS TEXT) ->> 'input_tokens', 0),
    output_tokens = coalesce(CAST(body AS TEXT) ->> 'output_tokens', 0),
    cost_usd = CAST(body AS TEXT) ->> 'cost_usd';
DROP INDEX session_by_start;
CREATE INDEX session_by_start ON session (
    started_ns, id, status, ended_ns, waiting_ns, waiting_since_ns, span_count, error_count,
    llm_calls, tool_calls, input_tokens, output_tokens, cost_usd
);
CREATE INDEX session_by_title ON session (substr(lower(title), 1, 64), id);
