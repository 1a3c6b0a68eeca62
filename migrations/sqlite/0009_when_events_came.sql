-- A log has no times. How long a local tool call has been waiting is told from when its event came here: `live` where the
-- server was listening already, else the call may be older. Events that are here already are older than this change.
ALTER TABLE run_event ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE run_event ADD COLUMN live BIGINT NOT NULL DEFAULT 0;
UPDATE run_event SET seen_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000;
