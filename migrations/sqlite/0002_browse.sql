-- Browsing a million runs.
--
-- Each run gets a number, `n`: its creation time in milliseconds times 1024, plus a free place. The order of numbers is
-- the order of the list, so that a page is a walk along one key, and every index below carries `n` instead of a time and
-- an id. A number says nothing else: `created_at` stays the time.
--
-- What can be filtered by is a tag: a key and a value with the number of runs that have it. `run_tag` holds the runs of
-- each tag in list order; two conditions are an intersection of two walks, and the counts tell which to walk.
--
-- A finished log is `run_log`: compressed, in one part or, for long logs, in parts that are found by seq, so that a slice
-- is read without the whole. Events in flight are rows of `run_event`.
--
-- What a log tells is read once, when it is stored; runs with an older `indexed` are read again after a start.

ALTER TABLE run RENAME TO run_before;
ALTER TABLE run_event RENAME TO run_event_before;
DROP INDEX run_newest;
DROP INDEX run_without_log;
DROP INDEX run_status;
DROP TABLE run_metadata;

CREATE TABLE run (
    n                INTEGER PRIMARY KEY,
    workspace_id     BIGINT NOT NULL REFERENCES workspace (id),
    id               TEXT   NOT NULL,
    session_id       TEXT,
    status           TEXT   NOT NULL,
    name             TEXT,
    agent_id         TEXT,
    model            TEXT,
    input_preview    TEXT,
    output_preview   TEXT,
    error            TEXT,
    error_class      TEXT,
    input_tokens     BIGINT,
    cached_tokens    BIGINT,
    reasoning_tokens BIGINT,
    output_tokens    BIGINT,
    turns            BIGINT,
    tool_calls       BIGINT,
    duration_ms      BIGINT,
    cost_micros      BIGINT,          -- millionths of a US dollar, at the price of price_id
    price_id         BIGINT,
    created_at       BIGINT NOT NULL,
    completed_at     BIGINT,
    metadata         TEXT   NOT NULL,
    marks            BIGINT NOT NULL, -- bits: 1 truncated, 2 looping, 4 over budget, 8 waiting, 16 orphan call
    origin           BIGINT NOT NULL, -- 0 mirrored from MANTYX, 1 imported, 2 seeded
    log_state        BIGINT NOT NULL, -- 0 not (wholly) here, 1 ends with its terminal event, 2 MANTYX has it no more
    tags             TEXT   NOT NULL, -- ids of tags: of the run itself, then after ; of its log
    indexed          BIGINT NOT NULL  -- by which reading of the run and its log; 0 for none
);
CREATE UNIQUE INDEX run_id ON run (workspace_id, id);
CREATE INDEX run_list ON run (workspace_id, n);
CREATE INDEX run_without_log ON run (workspace_id, n) WHERE log_state = 0;
CREATE INDEX run_unread ON run (n) WHERE indexed = 0;

-- What was asked for, compressed; apart, so that a walk along runs stays narrow.
CREATE TABLE run_spec (
    n    INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

CREATE TABLE run_event (
    n     BIGINT NOT NULL,
    seq   BIGINT NOT NULL,
    event TEXT   NOT NULL,
    PRIMARY KEY (n, seq)
) WITHOUT ROWID;

-- A table with row ids: its leaves take bodies of some kilobytes, which would overflow the pages of a keyed one.
CREATE TABLE run_log (
    n         BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    events    BIGINT NOT NULL,
    body      BLOB   NOT NULL
);
CREATE UNIQUE INDEX run_log_part ON run_log (n, first_seq);

-- What logs of this database have in common; bodies name the one that they were packed with.
CREATE TABLE pack_dictionary (
    id   INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

-- Keys: status, model, agent, name, session, tool, error, is, has, and metadata.KEY.
CREATE TABLE tag (
    id           INTEGER PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    key          TEXT   NOT NULL,
    value        TEXT   NOT NULL,
    runs         BIGINT NOT NULL
);
CREATE UNIQUE INDEX tag_value ON tag (workspace_id, key, value);
CREATE INDEX tag_most_used ON tag (workspace_id, key, runs DESC);

CREATE TABLE run_tag (
    tag_id BIGINT NOT NULL,
    n      BIGINT NOT NULL,
    PRIMARY KEY (tag_id, n)
) WITHOUT ROWID;

-- Runs by hour and status: the histogram of a list without a filter.
CREATE TABLE run_hour (
    workspace_id BIGINT NOT NULL,
    hour         BIGINT NOT NULL, -- hours since 1970
    status       TEXT   NOT NULL,
    runs         BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hour, status)
) WITHOUT ROWID;

-- Prices as the model catalogue told them; a price that changes is a new row, so that old costs stay explained.
CREATE TABLE price (
    id           INTEGER PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    model        TEXT   NOT NULL,
    pricing      TEXT   NOT NULL,
    seen_at      BIGINT NOT NULL
);
CREATE INDEX price_model ON price (workspace_id, model, id);

-- Words of prompt, answer, error, tool names and tool arguments. The text itself is not kept again. `scope` is the
-- workspace: another one's runs are not even walked over. Words come split and in small letters.
CREATE VIRTUAL TABLE run_text USING fts5 (scope, words, content = '', contentless_delete = 1, tokenize = 'ascii');

-- What was stored before: numbered here, read and tagged after the start.
INSERT INTO run
SELECT created_at * 1024 + ROW_NUMBER() OVER (PARTITION BY created_at ORDER BY workspace_id, id) - 1,
    workspace_id, id, session_id, status, name, agent_id, model, input_preview, output_preview, error, NULL,
    input_tokens, cached_tokens, reasoning_tokens, output_tokens, turns, tool_calls, duration_ms, NULL, NULL,
    created_at, completed_at, metadata, marks, 0, log_complete, ';', 0
FROM run_before;
INSERT INTO run_spec
SELECT r.n, CAST(b.spec AS BLOB) FROM run_before b
JOIN run r ON r.workspace_id = b.workspace_id AND r.id = b.id WHERE b.spec IS NOT NULL;
INSERT INTO run_event
SELECT r.n, e.seq, e.event FROM run_event_before e
JOIN run r ON r.workspace_id = e.workspace_id AND r.id = e.run_id;
DROP TABLE run_event_before;
DROP TABLE run_before;
