-- What was deleted for good, so that it is not synced again.
--
-- Only a hash is stored: of a run's id, of a session's id, or of a metadata entry. Runs and sessions with an erased entry
-- stay away if they were created before the erasure; later ones are synced.
CREATE TABLE erased (
    workspace_id BIGINT NOT NULL,
    hash         TEXT   NOT NULL,
    erased_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
) WITHOUT ROWID;

-- An erasure deletes tags too, whose ids every process remembers: they are looked up again when `generation` has changed.
-- What deleted rows leave behind in the files is removed afterwards; `purged` is the generation for which that is done.
CREATE TABLE erasure (
    workspace_id BIGINT PRIMARY KEY,
    generation   BIGINT NOT NULL,
    purged       BIGINT NOT NULL
);
