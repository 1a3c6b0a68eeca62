-- People who are writing an answer to a call that waits for one, so that others see it, also those of another process. A row
-- counts for some seconds after its last change, and goes with the next one that is written.
CREATE TABLE call_writer (
    workspace_id BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    tool_use_id  TEXT   NOT NULL,
    subject      TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    written_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, run_id, tool_use_id, subject)
) WITHOUT ROWID;
