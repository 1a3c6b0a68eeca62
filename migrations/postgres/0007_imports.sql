-- What became of each imported file, kept with its run: the page names the lines that could not be read.
CREATE TABLE run_import (
    workspace_id BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    report       TEXT   NOT NULL, -- JSON
    PRIMARY KEY (workspace_id, run_id)
);
