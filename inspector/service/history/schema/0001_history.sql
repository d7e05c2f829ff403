-- Only what ClickHouse 18.16 and 26 both know. All versions of a row have one key, and one
-- partition: the one with the highest `change` counts.

CREATE TABLE IF NOT EXISTS span (
    store FixedString(12),
    trace FixedString(16),
    span FixedString(8),
    change UInt64,
    first_day Date,                   -- on which the trace was first seen: never another
    epoch_ns Int64,                   -- the session's
    start_ns Int64,
    end_ns Int64,                     -- -1: none
    is_root UInt8,
    input_tokens Int64,               -- -1: not reported
    output_tokens Int64,
    cost_usd Float64,                 -- NaN: no cost
    is_counted UInt8,
    dropped_count Int64,
    wait_ns Int64,
    waits Int64,
    size_bytes Int64,
    stall_start_ns Int64,             -- -1: none
    stall_ns Int64,
    created UInt64,
    settled UInt64,
    content UInt64,
    changed_ns Int64,
    words_version UInt8,              -- the version of `words`
    kind String,
    status String,
    name String,
    subject String,
    model String,
    service String,
    session String,
    process String,
    parent String,                    -- hexadecimal; empty: none
    duplicate_of String,
    waited String,                    -- JSON of the waits, each a start and an end; empty: none
    attribute_keys Array(String),
    attribute_values Array(String),   -- cut at 1 kB; whole in `payload`
    payload String,                   -- an OTLP Span
    origin String,                    -- an OTLP ResourceSpans: its resource and scope
    words String                      -- the document that the index of words has of it
) ENGINE = ReplacingMergeTree(change)
PARTITION BY first_day
ORDER BY (store, trace, span)
SETTINGS index_granularity = 1024;    -- rows are wide, and mostly few of a trace are read

-- Each session that a trace was part of, from which change on.
CREATE TABLE IF NOT EXISTS trace (
    store FixedString(12),
    trace FixedString(16),
    change UInt64,
    first_day Date,
    session String
) ENGINE = ReplacingMergeTree(change)
PARTITION BY first_day
ORDER BY (store, trace, change);

CREATE TABLE IF NOT EXISTS moment (
    store FixedString(12),
    trace String,                     -- hexadecimal, as `span`; empty: of a session alone
    span String,
    session String,
    time_ns Int64,
    digest String,
    change UInt64,
    first_day Date,
    changed_ns Int64,
    name String,
    payload String,                   -- an OTLP LogRecord
    origin String
) ENGINE = ReplacingMergeTree(change)
PARTITION BY first_day
ORDER BY (store, trace, span, time_ns, digest);

CREATE TABLE IF NOT EXISTS session (
    store FixedString(12),
    id String,
    change UInt64,
    status String,
    title String,
    started_ns Int64,
    ended_ns Int64,                   -- -1: it is not over
    span_count Int64,
    error_count Int64,
    input_tokens Int64,
    output_tokens Int64,
    cost_usd Float64,
    cause String,
    words String,                     -- as in `span`
    words_version UInt8,
    body String                       -- JSON of the whole row
) ENGINE = ReplacingMergeTree(change)
ORDER BY (store, id);

CREATE TABLE IF NOT EXISTS departure (
    store FixedString(12),
    session String,
    change UInt64,
    moved_to String,                  -- empty: deleted
    is_whole UInt8,
    changed_ns Int64
) ENGINE = ReplacingMergeTree(change)
ORDER BY (store, session, change);

CREATE TABLE IF NOT EXISTS position (
    store FixedString(12),
    part String,                      -- `copied`, `deleted`, `gap`, `gap closed`
    through UInt64,
    newest_ns Int64                   -- when the newest that was copied changed
) ENGINE = ReplacingMergeTree(through)
ORDER BY (store, part);
