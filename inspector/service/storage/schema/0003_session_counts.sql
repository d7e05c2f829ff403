-- The chart over the list counts by start and status: from the index alone, without the wide rows.
DROP INDEX session_by_start;
CREATE INDEX session_by_start ON session (started_ns, id, status);
