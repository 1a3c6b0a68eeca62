-- The mirror of what signed-in workspaces may see in MANTYX, and what sign-in needs.
-- Times are milliseconds since 1970 (UTC). JSON is TEXT. Everything hangs on workspace.id, our own number: MANTYX's id
-- is unknown while only an API key has been seen, and a slug can be renamed.

CREATE TABLE workspace (
    id        INTEGER PRIMARY KEY,
    mantyx_id TEXT UNIQUE,
    slug      TEXT,
    name      TEXT NOT NULL
);
CREATE INDEX workspace_slug ON workspace (slug);

CREATE TABLE run (
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
    input_tokens     BIGINT,
    cached_tokens    BIGINT,
    reasoning_tokens BIGINT,
    output_tokens    BIGINT,
    turns            BIGINT,
    tool_calls       BIGINT,
    duration_ms      BIGINT,
    created_at       BIGINT NOT NULL,
    completed_at     BIGINT,
    metadata         TEXT   NOT NULL,
    spec             TEXT,            -- the spec of the snapshot, once the run was opened
    marks            BIGINT NOT NULL, -- bits: 1 truncated, 2 looping, 4 over budget; 0 until the log was read
    log_complete     BIGINT NOT NULL, -- 1 when the stored log ends with its terminal event
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX run_newest ON run (workspace_id, created_at DESC, id DESC);
CREATE INDEX run_without_log ON run (workspace_id, created_at DESC) WHERE log_complete = 0;
CREATE INDEX run_status ON run (workspace_id, status, created_at DESC, id DESC);

-- One row for each metadata entry, in list order, so that a filter is a walk along this key.
CREATE TABLE run_metadata (
    workspace_id BIGINT NOT NULL,
    key          TEXT   NOT NULL,
    value        TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    PRIMARY KEY (workspace_id, key, value, created_at, run_id)
) WITHOUT ROWID;
CREATE INDEX run_metadata_run ON run_metadata (workspace_id, run_id);

-- Events as they came: the envelope is kept whole, so that export gives back every field.
CREATE TABLE run_event (
    workspace_id BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    seq          BIGINT NOT NULL,
    event        TEXT   NOT NULL,
    PRIMARY KEY (workspace_id, run_id, seq)
) WITHOUT ROWID;

-- A user's consent. Tokens are encrypted with the server's key.
CREATE TABLE oauth_grant (
    id                TEXT PRIMARY KEY,
    workspace_id      BIGINT NOT NULL REFERENCES workspace (id),
    subject           TEXT   NOT NULL,
    email             TEXT   NOT NULL,
    scopes            TEXT   NOT NULL,
    access_token      BLOB   NOT NULL,
    access_expires_at BIGINT NOT NULL,
    refresh_token     BLOB,
    created_at        BIGINT NOT NULL
);

-- Browser sessions, encrypted: they hold the PKCE verifier while a sign-in is under way.
CREATE TABLE web_session (
    id         TEXT PRIMARY KEY,
    record     BLOB   NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX web_session_expiry ON web_session (expires_at);
