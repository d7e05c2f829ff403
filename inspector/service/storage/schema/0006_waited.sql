-- When a span waited for a person: JSON [[start_ns, end_ns or null], ...]; null: it did not, or it
-- was kept before this was.
ALTER TABLE span ADD COLUMN waited BLOB;
