-- Whose resource, scope and process it is, by trace: what a deleted session leaves is still found by
-- one look each, and a span that comes in has two indexes less to be put in.
CREATE TABLE trace_origin (
    trace_no INTEGER NOT NULL,
    origin_no INTEGER NOT NULL,
    PRIMARY KEY (trace_no, origin_no)
) WITHOUT ROWID;
CREATE TABLE trace_process (
    trace_no INTEGER NOT NULL,
    process_no INTEGER NOT NULL,
    PRIMARY KEY (trace_no, process_no)
) WITHOUT ROWID;
INSERT INTO trace_origin
SELECT DISTINCT span.trace_no, content.origin_no FROM span JOIN content ON content.no = span.content;
INSERT INTO trace_process
SELECT DISTINCT trace_no, process_no FROM span WHERE process_no > 0;
CREATE INDEX trace_by_origin ON trace_origin (origin_no);
CREATE INDEX trace_by_process ON trace_process (process_no);
DROP INDEX content_by_origin;
DROP INDEX span_ended;
