-- Counting and comparing without the runs themselves.
--
-- A chart under a filter reads when a thousand runs were and how they ended; a filter like `cost:>1` reads one number of
-- each run on its way. Rows of `run` are long, so that every one of them was a page of its own. The list's index now
-- carries what is counted and compared: some hundred runs to a page.

DROP INDEX run_list;
CREATE INDEX run_list ON run
    (workspace_id, n, status, duration_ms, input_tokens, output_tokens, cost_micros, turns, tool_calls);
