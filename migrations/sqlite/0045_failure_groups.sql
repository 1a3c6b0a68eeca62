-- Failure groups: runs that failed alike. The group of a run is in its row and is a tag of it (`group`), so its runs are in
-- list order like those of any value. A group's own row has what people set, and is kept in step with its runs. Runs of an
-- earlier version get their group when they are indexed again, in the background after a start.
ALTER TABLE run ADD COLUMN failure_group TEXT;
DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 6;

CREATE TABLE failure_group (
    workspace_id  BIGINT NOT NULL REFERENCES workspace (id),
    id            TEXT   NOT NULL, -- computed from the logs of its runs: protocol/src/timeline/signature
    title         TEXT   NOT NULL,
    next_step     TEXT   NOT NULL,
    runs          BIGINT NOT NULL,
    first_seen_at BIGINT,          -- when the first and the newest of its runs were created; NULL without runs
    last_seen_at  BIGINT,
    state         TEXT   NOT NULL, -- open, resolved, muted
    changed_at    BIGINT,          -- when it got this state; NULL for the first one
    changed_by    TEXT,            -- the person; NULL if a new run opened it again
    reopened_by   TEXT,            -- the id of that run
    note          TEXT,
    note_at       BIGINT,
    note_by       TEXT,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX failure_group_list ON failure_group (workspace_id, last_seen_at);
