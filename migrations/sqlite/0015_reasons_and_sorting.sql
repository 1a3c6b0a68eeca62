-- Why a run is not good, and lists in other orders than by time.
--
-- The reason is one short line from the log. Runs of an earlier version get theirs when they are indexed again, in the
-- background after a start.
ALTER TABLE run ADD COLUMN reason TEXT;
DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 2;

-- One index for each number that the list can be sorted by. Every index ends with the row id, which is `n`.
CREATE INDEX run_by_duration ON run (workspace_id, duration_ms);
CREATE INDEX run_by_tokens ON run (workspace_id, input_tokens + output_tokens);
CREATE INDEX run_by_cost ON run (workspace_id, cost_micros);
