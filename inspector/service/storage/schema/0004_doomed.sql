-- What deleted sessions left, to be taken away a little at a time so that nobody waits for it.
-- Nothing shows it: it belongs to no session any more. Its numbers stay taken until it is gone.
CREATE TABLE doomed_session (no INTEGER PRIMARY KEY);
CREATE TABLE doomed_trace (no INTEGER PRIMARY KEY, session_no INTEGER NOT NULL);
CREATE INDEX doomed_trace_by_session ON doomed_trace (session_no);
