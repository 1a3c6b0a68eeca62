-- How far each workspace is mirrored, so that a sync that was interrupted anywhere goes on from there.
--
-- Two walks over MANTYX's list: `head` goes from the newest run down to `known_until`, the newest one that is known to have
-- nothing missing below it; only when it has arrived there does `known_until` move up. `history` goes down once, to the
-- oldest run, and remembers MANTYX's cursor.

CREATE TABLE sync_state (
    workspace_id   BIGINT PRIMARY KEY,
    known_until    BIGINT NOT NULL, -- creation time in ms; 0 before the first walk has arrived
    history        BIGINT NOT NULL, -- 0 not begun, 1 under way, 2 complete
    history_cursor TEXT,
    history_runs   BIGINT NOT NULL, -- runs that the history walk has brought in
    total          BIGINT,          -- how many MANTYX says there are, and when it said so
    total_at       BIGINT,
    paused         BIGINT NOT NULL,
    can_list       BIGINT NOT NULL, -- 0: this MANTYX has no list of runs
    synced_at      BIGINT NOT NULL, -- when the newest page was last read
    keep_after     BIGINT NOT NULL, -- runs created earlier were removed to save space and stay away
    last_error     TEXT
);
