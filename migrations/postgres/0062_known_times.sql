-- Waits, slowest tools, shares of time, tools that looped, and failure groups follow new rules. Runs of an earlier version get
-- theirs when they are indexed again, in the background after a start.
DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 7;
