-- Words that are found by their beginning, in everything that the list shows and in tool results.
--
-- PostgreSQL finds words by their beginning in `run_text` as it is; words of tool results are in it without a place. That
-- makes the vectors larger: new ones are stored beside their rows, so that reading many rows without them stays quick.
ALTER TABLE run_text SET (toast_tuple_target = 128);
