-- Who launched a run, how far the list of sessions is mirrored, and finding sessions by text.
--
-- A launch names its launcher, MANTYX's id of the user, so that everybody finds their own runs. The run is tagged with it
-- once it is stored (`marked`); earlier launches are traced through those who answer for them and through their batches.

ALTER TABLE launch ADD COLUMN subject TEXT NOT NULL DEFAULT ''; -- empty where nobody knows
ALTER TABLE launch ADD COLUMN marked BIGINT NOT NULL DEFAULT 0;
UPDATE launch SET subject = COALESCE(
    (SELECT a.subject FROM run_answerer a WHERE a.workspace_id = launch.workspace_id AND a.run_id = launch.run_id),
    (SELECT b.subject FROM launch_batch_item i
     JOIN launch_batch b ON b.workspace_id = i.workspace_id AND b.id = i.batch_id
     WHERE i.workspace_id = launch.workspace_id AND i.run_id = launch.run_id LIMIT 1),
    '')
WHERE run_id IS NOT NULL;
CREATE INDEX launch_unmarked ON launch (workspace_id) WHERE marked = 0;

-- MANTYX may count runs that it does not list: the history is begun again only when more are missing than the last time.
-- Sessions have a walk from the last used down to `sessions_until`, and once one to the oldest.
ALTER TABLE sync_state ADD COLUMN history_gap BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sync_state ADD COLUMN sessions_until BIGINT NOT NULL DEFAULT 0;   -- time of last use in ms
ALTER TABLE sync_state ADD COLUMN sessions_history BIGINT NOT NULL DEFAULT 0; -- 0 not begun, 1 under way, 2 complete
ALTER TABLE sync_state ADD COLUMN sessions_cursor TEXT;

-- Name and summary in small letters. SQLite knows only those of English, so that the server writes them; sessions that are
-- here already are written again by the walk, which begins anew.
ALTER TABLE session ADD COLUMN search TEXT NOT NULL DEFAULT '';
UPDATE session SET search = LOWER(COALESCE(name, '') || ' ' || COALESCE(summary, ''));
