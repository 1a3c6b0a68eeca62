-- The arrival times of the events of a packed log (server/src/store/event_times.rs). Empty for logs that were not seen
-- happening, and for those that were packed before this version.
ALTER TABLE run_log ADD COLUMN times BLOB NOT NULL DEFAULT x'';
