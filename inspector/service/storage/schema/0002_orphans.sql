-- What a deleted session leaves is found by asking who else uses it: one look each, not a scan.
CREATE INDEX content_by_origin ON content (origin_no);
CREATE INDEX moment_by_origin ON moment (origin_no);
-- The other half of span_open: an index of all would be taken to find the open ones too.
CREATE INDEX span_ended ON span (process_no) WHERE end_ns IS NOT NULL;
