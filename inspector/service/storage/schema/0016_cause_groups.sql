-- Sessions by what failed first, in the order of the groups.
CREATE INDEX session_by_cause ON session (cause_key, started_ns, status)
    WHERE cause_key IS NOT NULL;
-- To compare a failed session with the last one that went well.
CREATE INDEX session_good ON session (title, started_ns)
    WHERE status = 'completed' AND error_count = 0;
