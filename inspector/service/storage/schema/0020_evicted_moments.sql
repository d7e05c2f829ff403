ALTER TABLE session ADD COLUMN evicted_moments INTEGER NOT NULL DEFAULT 0;  -- how many went
