-- Words that are found by their beginning, in everything that the list shows and in tool results.
--
-- `run_text` finds the runs of a word: each word of a run without its place, with the workspace before it. Its vectors are
-- stored beside their rows, because a search reads many rows and no vector. A common word is found sooner by reading
-- `searched_text` in list order: the words of each run in their order, compressed. Runs of an earlier version are added in
-- the background after a start.
ALTER TABLE run_text SET (toast_tuple_target = 128);

CREATE TABLE searched_text (
    n    BIGINT PRIMARY KEY,
    body BYTEA NOT NULL
);
ALTER TABLE searched_text ALTER COLUMN body SET STORAGE EXTERNAL;
