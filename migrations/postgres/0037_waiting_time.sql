-- How long a run waited for answers from outside, from the times of its log: a column of the list, and compared by
-- `waited:`, so the narrow index of the list has it too. Runs of an earlier version get theirs, and the tags of their slowest
-- tool and of failed tools, when they are indexed again, in the background after a start.
ALTER TABLE run ADD COLUMN waited_ms BIGINT;
DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 4;
DROP INDEX run_list;
CREATE INDEX run_list ON run (workspace_id, n)
    INCLUDE (status, duration_ms, input_tokens, output_tokens, cost_micros, turns, tool_calls, waited_ms);
