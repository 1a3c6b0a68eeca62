-- Words that are found by their beginning, in everything that the list shows and in tool results.
--
-- `run_word` finds the runs of a word: each word of a run without its place, with the workspace before it. A common word is
-- found sooner by reading `searched_text` in list order: the words of each run in their order, compressed. It also has the
-- places that phrases need, so the index with places goes; SQLite serves one process, so no other one still searches it.
-- Runs of an earlier version are added in the background after a start.
DROP TABLE run_text;

CREATE VIRTUAL TABLE run_word USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

CREATE TABLE searched_text (
    n    INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);
