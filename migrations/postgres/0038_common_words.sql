-- The words that very many runs of a workspace have, each between spaces. They are left out of the word index: reading
-- `searched_text` in list order finds them at once. Runs that were indexed before keep theirs.
CREATE TABLE common_words (
    workspace_id BIGINT PRIMARY KEY REFERENCES workspace (id),
    words        TEXT NOT NULL
);
