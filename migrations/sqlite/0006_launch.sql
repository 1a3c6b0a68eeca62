-- Launching: what was started here, who answers its local tools, and what people keep for the next time. Specs and
-- answers may hold header values for peers, so they are encrypted with the server's key wherever they are not MANTYX's
-- own copy.

-- One row for each launch. The key comes from the form: a double click or a reload is the same launch.
CREATE TABLE launch (
    workspace_id BIGINT NOT NULL,
    key          TEXT   NOT NULL,
    fingerprint  TEXT   NOT NULL, -- of what was asked for: a key is not taken for anything else
    session_id   TEXT,            -- once a session was opened for it
    run_id       TEXT,            -- once MANTYX took it
    state        TEXT   NOT NULL, -- starting, started, or unknown: sent, and never heard of again
    lease_until  BIGINT NOT NULL, -- while starting
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, key)
) WITHOUT ROWID;

-- Who answers the local tools of a run. One process at a time holds the lease and answers.
CREATE TABLE run_answerer (
    workspace_id BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    subject      TEXT   NOT NULL, -- whose consent the answers are sent with
    answers      BLOB   NOT NULL,
    state        TEXT   NOT NULL, -- open or done
    owner        TEXT   NOT NULL,
    lease_until  BIGINT NOT NULL,
    after_seq    BIGINT NOT NULL, -- no unanswered call stands at or before this event
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, run_id)
) WITHOUT ROWID;
CREATE INDEX run_answerer_open ON run_answerer (lease_until) WHERE state = 'open';

-- Each call that somebody here answered, claimed before anything is done.
CREATE TABLE run_answer (
    workspace_id BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    tool_use_id  TEXT   NOT NULL,
    tool         TEXT   NOT NULL,
    via          TEXT   NOT NULL, -- hand, canned, mcp, a2a
    answered_by  TEXT   NOT NULL,
    state        TEXT   NOT NULL, -- working, ready, sent, not_needed, failed
    owner        TEXT   NOT NULL,
    reply        BLOB,            -- encrypted, between ready and sent
    problem      TEXT,
    changed_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, run_id, tool_use_id)
) WITHOUT ROWID;

CREATE TABLE launch_template (
    workspace_id BIGINT NOT NULL,
    id           TEXT   NOT NULL,
    subject      TEXT   NOT NULL, -- whose it is
    email        TEXT   NOT NULL,
    shared       BIGINT NOT NULL, -- 1: the whole workspace sees it
    name         TEXT   NOT NULL,
    notes        TEXT   NOT NULL,
    content      BLOB   NOT NULL, -- spec and answers
    changed_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

-- What somebody was writing, one for each person and workspace.
CREATE TABLE launch_draft (
    workspace_id BIGINT NOT NULL,
    subject      TEXT   NOT NULL,
    content      BLOB   NOT NULL,
    changed_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, subject)
) WITHOUT ROWID;

-- Many inputs with one spec, launched one after the other.
CREATE TABLE launch_batch (
    workspace_id BIGINT NOT NULL,
    id           TEXT   NOT NULL,
    subject      TEXT   NOT NULL,
    tag_key      TEXT   NOT NULL, -- the metadata entry that all its runs carry
    tag_value    TEXT   NOT NULL,
    content      BLOB   NOT NULL, -- spec and answers
    state        TEXT   NOT NULL, -- open or done
    owner        TEXT   NOT NULL,
    lease_until  BIGINT NOT NULL,
    problem      TEXT,            -- why it waits, where it does
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX launch_batch_open ON launch_batch (lease_until) WHERE state = 'open';

CREATE TABLE launch_batch_item (
    workspace_id BIGINT NOT NULL,
    batch_id     TEXT   NOT NULL,
    position     BIGINT NOT NULL,
    input        BLOB   NOT NULL,
    state        TEXT   NOT NULL, -- waiting, launched, failed
    run_id       TEXT,
    problem      TEXT,
    PRIMARY KEY (workspace_id, batch_id, position)
) WITHOUT ROWID;
