-- Times are milliseconds since 1970, UTC. JSON is text. Secrets are SHA-256 digests.

CREATE TABLE IF NOT EXISTS runs (
    id              TEXT PRIMARY KEY,
    workspace       TEXT NOT NULL,
    session_id      TEXT,
    status          TEXT NOT NULL,
    spec            TEXT NOT NULL,
    metadata        TEXT NOT NULL,
    spec_name       TEXT,
    agent_id        TEXT,
    model_id        TEXT NOT NULL,
    input_preview   TEXT NOT NULL,
    final_text      TEXT,
    error           TEXT,
    failure_reason  TEXT,
    tokens          TEXT,
    turns           INTEGER,
    model           TEXT,
    tool_call_count INTEGER,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS runs_newest ON runs (workspace, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS runs_of_session ON runs (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS runs_in_flight ON runs (id) WHERE completed_at IS NULL;

-- A log is read by run from a position, and never changed: a table without rowid fits.
CREATE TABLE IF NOT EXISTS events (
    run_id TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    data   TEXT NOT NULL,
    -- Only events of the demonstration have a time.
    at_ms  INTEGER,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS sessions (
    id           TEXT PRIMARY KEY,
    workspace    TEXT NOT NULL,
    name         TEXT,
    status       TEXT NOT NULL,
    spec         TEXT NOT NULL,
    metadata     TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    ended_at     INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS sessions_newest ON sessions (workspace, last_used_at DESC, id DESC);

CREATE TABLE IF NOT EXISTS session_messages (
    session_id  TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    role        TEXT NOT NULL,
    content     TEXT NOT NULL,
    attachments TEXT,
    run_id      TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

-- Tool results for later runs of a session, replayed between the question and the answer of their run.
CREATE TABLE IF NOT EXISTS retained_results (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    call_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    input      TEXT NOT NULL,
    output     TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS retained_of_session ON retained_results (session_id);

CREATE TABLE IF NOT EXISTS feedback (
    run_id           TEXT PRIMARY KEY,
    id               TEXT NOT NULL,
    verdict          TEXT NOT NULL,
    explanation      TEXT,
    content_snapshot TEXT
) STRICT;

CREATE TABLE IF NOT EXISTS authorize_requests (
    digest       BLOB PRIMARY KEY,
    redirect_uri TEXT NOT NULL,
    scope        TEXT NOT NULL,
    state        TEXT NOT NULL,
    challenge    TEXT NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS codes (
    digest       BLOB PRIMARY KEY,
    redirect_uri TEXT NOT NULL,
    scope        TEXT NOT NULL,
    challenge    TEXT NOT NULL,
    email        TEXT NOT NULL,
    expires_at   INTEGER NOT NULL,
    used_at      INTEGER
) STRICT;

CREATE TABLE IF NOT EXISTS refresh_tokens (
    digest     BLOB PRIMARY KEY,
    scope      TEXT NOT NULL,
    email      TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Revoking a refresh token also deletes its access tokens.
CREATE TABLE IF NOT EXISTS access_tokens (
    digest     BLOB PRIMARY KEY,
    refresh    BLOB NOT NULL REFERENCES refresh_tokens (digest) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    email      TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS access_tokens_of_refresh ON access_tokens (refresh);
