-- The calls without a cost, so that a sum of costs can say how many it leaves out. All columns that
-- are asked for: a store without prices has many such calls.
CREATE INDEX span_uncosted ON span (session_no, is_counted, cost_usd)
    WHERE is_counted AND cost_usd IS NULL;
