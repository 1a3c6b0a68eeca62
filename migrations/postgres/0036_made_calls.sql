-- The number of tool calls comes from the log, without the calls that a guard skipped. Runs of an earlier version get
-- theirs when they are indexed again, in the background after a start.
DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 3;
