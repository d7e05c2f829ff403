-- The trace that left its session for another one. NULL: the session was deleted, or this was not
-- noted yet.
ALTER TABLE departure ADD COLUMN trace_id BLOB;
