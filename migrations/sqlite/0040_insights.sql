-- Figures of many runs, without reading the runs.
--
-- `run_facts` has what each run adds to the figures, so that exactly this is subtracted when the run changes or goes. Its
-- rows are narrow: thousands are read at once for what no rollup answers.
CREATE TABLE run_facts (
    workspace_id BIGINT NOT NULL,
    n            BIGINT NOT NULL,
    body         BLOB NOT NULL, -- server/src/store/insights/facts.rs
    PRIMARY KEY (workspace_id, n)
) WITHOUT ROWID;

-- Sums of facts for a tag and a time: an hour, a day, or 32 days. The tag of all runs of a workspace is the workspace's id,
-- negated. A tag gets rollups once more than a few runs have it; before that its runs are read.
CREATE TABLE rollup (
    tag_id  BIGINT NOT NULL,
    hours   BIGINT NOT NULL,      -- the length of the time
    start   BIGINT NOT NULL,      -- in such lengths since 1970
    figures BLOB NOT NULL,    -- server/src/store/insights/figures.rs
    PRIMARY KEY (tag_id, hours, start)
) WITHOUT ROWID;
ALTER TABLE tag ADD COLUMN rolled BIGINT NOT NULL DEFAULT 0; -- 1: it has rollups
-- No run has facts yet, so empty rollups are right. Runs get facts when they are indexed again, in the background after a
-- start. Who launched a run is not among them.
UPDATE tag SET rolled = 1 WHERE runs > 100 AND key <> 'launcher';

DROP INDEX run_unread;
CREATE INDEX run_unread ON run (n) WHERE indexed < 5;
