-- Words that are found by their beginning, in everything that the list shows and in tool results.
--
-- Each word of a run once, without its place: that takes half the space of `run_text`, which stays for phrases. Beside the
-- words there are their beginnings of three characters, marked with ¶, the words of the run's name and of the agent, marked
-- too, and the workspace as a word. Runs of an earlier version are added in the background after a start.
CREATE VIRTUAL TABLE run_word USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

-- Tells which words there are with a beginning.
CREATE VIRTUAL TABLE run_word_vocabulary USING fts5vocab (run_word, instance);
