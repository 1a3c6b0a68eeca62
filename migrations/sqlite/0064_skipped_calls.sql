-- Calls that a budget or the turn limit skipped no longer count. Runs of an earlier version get their number of calls and
-- their figures of tools when they are indexed again, in the background after a start.
DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 8;
