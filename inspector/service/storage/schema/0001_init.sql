-- Integers are local to this file: traces, sessions and processes get theirs at first sight, so
-- that the indexes of the big tables grow at their ends (random 16-byte keys halve the rate).

CREATE TABLE meta (
    store_id TEXT NOT NULL,
    head INTEGER NOT NULL          -- the newest change number; numbers are never reused
);

CREATE TABLE session (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    change INTEGER NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    status TEXT NOT NULL,
    title TEXT NOT NULL,
    epoch_ns INTEGER NOT NULL,
    started_ns INTEGER NOT NULL,
    body BLOB NOT NULL,            -- JSON of the row
    state BLOB NOT NULL            -- JSON of what the rules go on from
);
CREATE INDEX session_by_start ON session (started_ns, id);
CREATE INDEX session_unsettled ON session (status) WHERE settled = 0;

CREATE TABLE trace (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    session_no INTEGER,
    state BLOB NOT NULL
);
CREATE INDEX trace_by_session ON trace (session_no);

CREATE TABLE usage_ancestor (
    trace_no INTEGER NOT NULL,
    span_id BLOB NOT NULL,
    PRIMARY KEY (trace_no, span_id)
) WITHOUT ROWID;

CREATE TABLE process (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE
);

-- Keyed by its newest change, so that the change feed needs no index of its own.
CREATE TABLE span (
    change INTEGER PRIMARY KEY,
    trace_no INTEGER NOT NULL,
    span_id BLOB NOT NULL,
    session_no INTEGER NOT NULL,
    parent_id BLOB,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER,
    is_root INTEGER NOT NULL,
    process_no INTEGER NOT NULL,
    model TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    is_counted INTEGER NOT NULL,
    dropped_count INTEGER NOT NULL,
    wait_ns INTEGER NOT NULL,
    waits INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    duplicate_of TEXT,
    created INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    content INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL
);
CREATE UNIQUE INDEX span_by_id ON span (trace_no, span_id);
CREATE INDEX span_by_session ON span (session_no, start_ns, span_id);
CREATE INDEX span_open ON span (process_no) WHERE end_ns IS NULL;

-- Apart from the rows: skeletons and filters then read narrow pages only.
CREATE TABLE content (
    no INTEGER PRIMARY KEY,        -- span.content
    origin_no INTEGER NOT NULL,
    payload BLOB NOT NULL
);

CREATE TABLE origin (
    no INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    bytes BLOB NOT NULL
);

CREATE TABLE moment (
    change INTEGER PRIMARY KEY,
    trace_no INTEGER,
    span_id BLOB,
    session_no INTEGER,            -- only without a trace
    time_ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    digest BLOB NOT NULL,
    origin_no INTEGER NOT NULL,
    payload BLOB NOT NULL,
    changed_ns INTEGER NOT NULL
);
CREATE INDEX moment_by_trace ON moment (trace_no, span_id, time_ns) WHERE trace_no IS NOT NULL;
CREATE INDEX moment_by_session ON moment (session_no, time_ns) WHERE session_no IS NOT NULL;

CREATE TABLE departure (
    change INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    moved_to TEXT,
    is_whole INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL
);
CREATE INDEX departure_by_session ON departure (session_id);
