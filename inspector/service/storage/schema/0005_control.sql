-- What people are asked and what agents are told: few, beside spans. So sessions and processes are
-- named here, where the big tables number them.
CREATE TABLE request (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    change INTEGER NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    trace_id TEXT,
    process_id TEXT NOT NULL,
    status TEXT NOT NULL,
    is_over INTEGER NOT NULL,      -- 0: pending, or the agent has not said yet that it took the answer
    created_ns INTEGER NOT NULL,
    expires_ns INTEGER,
    size_bytes INTEGER NOT NULL,   -- of what it shows
    body BLOB NOT NULL             -- JSON of the row
);
CREATE INDEX request_by_time ON request (created_ns, id);
CREATE INDEX request_by_status ON request (status, created_ns, id);
CREATE INDEX request_by_session ON request (session_id, created_ns, id);
CREATE INDEX request_by_trace ON request (trace_id, created_ns) WHERE trace_id IS NOT NULL;
CREATE INDEX request_waiting ON request (created_ns, id) WHERE is_over = 0;

CREATE TABLE command (
    seq INTEGER PRIMARY KEY,
    process_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    request_id TEXT,               -- that it answers
    body BLOB NOT NULL             -- JSON of the row
);
CREATE INDEX command_by_process ON command (process_id, seq);
CREATE INDEX command_by_session ON command (session_id);
CREATE INDEX command_by_request ON command (request_id) WHERE request_id IS NOT NULL;

-- Processes that follow their commands.
CREATE TABLE agent (
    id TEXT PRIMARY KEY,
    body BLOB NOT NULL             -- JSON of the row
) WITHOUT ROWID;

-- Nothing changes or deletes a row of this one.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    body BLOB NOT NULL             -- JSON of the row
);
