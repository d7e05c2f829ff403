-- Sessions whose content a history has: it is read from there, and `evicted` is the change up to
-- which there is none here any more. Newer content is: what came late.
ALTER TABLE session ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN evicted_spans INTEGER NOT NULL DEFAULT 0;  -- how many went
-- The newest change of which there may be no content: who is further behind reads the lists again.
ALTER TABLE meta ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX session_here ON session (change) WHERE settled > 0 AND evicted < change;
-- Those with content that is still to be taken away, a little at a time.
CREATE TABLE evicting (session_no INTEGER PRIMARY KEY);
-- The stores that this one was restored from: what has left them is in the history under their ids.
CREATE TABLE former_store (
    id TEXT PRIMARY KEY,
    head INTEGER NOT NULL          -- of the backup: what is newer, this store never had
);
