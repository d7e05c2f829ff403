-- The service that a span is of. Those stored before do not say.
ALTER TABLE span ADD COLUMN service TEXT;
