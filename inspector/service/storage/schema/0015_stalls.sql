-- The longest stall of a streamed answer; while it runs, stall_start_ns is the newest chunk. Both
-- count from the start of the span.
ALTER TABLE span ADD COLUMN stall_start_ns INTEGER;
ALTER TABLE span ADD COLUMN stall_ns INTEGER;
