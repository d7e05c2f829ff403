-- How long nothing of a session ran between its start and its end: its duration is without it.
ALTER TABLE session ADD COLUMN idle_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN idle_since_ns INTEGER;
-- Of those that are over and have several roots: what goes on is looked at again when it changes.
WITH several AS (
    SELECT session_no FROM span WHERE is_root GROUP BY session_no HAVING count(*) > 1
),
-- A span that was lost ran up to the last that its trace told of.
timed AS (
    SELECT session_no, start_ns, max(start_ns, coalesce(end_ns, (
        SELECT max(coalesce(other.end_ns, other.start_ns)) FROM span AS other
        WHERE other.trace_no = span.trace_no
    ))) AS end_ns
    FROM span WHERE session_no IN (SELECT session_no FROM several)
),
-- Each adds what lies behind the end of all that began before it.
behind AS (
    SELECT session_no, end_ns, max(start_ns, coalesce(max(end_ns) OVER (
        PARTITION BY session_no ORDER BY start_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), start_ns)) AS start_ns
    FROM timed
),
ran AS (
    SELECT session_no, sum(max(end_ns - start_ns, 0)) AS ran_ns FROM behind GROUP BY session_no
)
UPDATE session SET idle_ns = max(ended_ns - started_ns - ran_ns, 0)
FROM ran WHERE ran.session_no = session.no AND ended_ns IS NOT NULL;
UPDATE session SET body = CAST(json_set(CAST(body AS TEXT), '$.idle_ns', idle_ns) AS BLOB)
WHERE idle_ns > 0;
DROP INDEX session_by_start;
CREATE INDEX session_by_start ON session (
    started_ns, id, status, ended_ns, waiting_ns, waiting_since_ns, idle_ns, idle_since_ns,
    span_count, error_count, llm_calls, tool_calls, input_tokens, output_tokens, cost_usd
);
