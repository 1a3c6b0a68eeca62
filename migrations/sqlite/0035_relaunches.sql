-- The run that a launch repeats, so that the pages of both runs link to each other.
ALTER TABLE launch ADD COLUMN origin_run_id TEXT; -- NULL if it repeats none, and for launches before this version
CREATE INDEX launch_run ON launch (workspace_id, run_id);
CREATE INDEX launch_origin ON launch (workspace_id, origin_run_id) WHERE origin_run_id IS NOT NULL;
