-- Values that many spans repeat, such as the tools that a model is offered with each call: stored
-- once. A payload lacks them, and `pieces` says where they belong: JSON [[place, shared.no], ...].
CREATE TABLE shared (
    no INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    bytes BLOB NOT NULL
);
CREATE TABLE trace_shared (
    trace_no INTEGER NOT NULL,
    shared_no INTEGER NOT NULL,
    PRIMARY KEY (trace_no, shared_no)
) WITHOUT ROWID;
CREATE INDEX trace_by_shared ON trace_shared (shared_no);
ALTER TABLE content ADD COLUMN pieces BLOB;
ALTER TABLE moment ADD COLUMN pieces BLOB;
