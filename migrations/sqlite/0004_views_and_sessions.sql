-- Filters with a name, and the mirror of sessions.
--
-- A view belongs to whoever made it (`owner`, MANTYX's id of the user); a shared one is seen by the whole workspace and
-- changed by its owner. Built-in views are not stored. `default_view` is each user's choice, by a view's id or name.
--
-- Sessions are fewer than runs and ordered by a time that changes, so that they are rows with metadata beside them.

CREATE TABLE saved_view (
    id           TEXT   PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    owner        TEXT   NOT NULL,
    list         TEXT   NOT NULL, -- runs or sessions
    name         TEXT   NOT NULL,
    query        TEXT   NOT NULL,
    shared       BIGINT NOT NULL,
    created_at   BIGINT NOT NULL
);
CREATE INDEX saved_view_list ON saved_view (workspace_id, list);

CREATE TABLE default_view (
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    owner        TEXT   NOT NULL,
    list         TEXT   NOT NULL,
    view_id      TEXT   NOT NULL,
    PRIMARY KEY (workspace_id, owner, list)
);

CREATE TABLE session (
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    id           TEXT   NOT NULL,
    name         TEXT,
    status       TEXT   NOT NULL,
    summary      TEXT,
    metadata     TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX session_list ON session (workspace_id, last_used_at DESC, id DESC);

CREATE TABLE session_metadata (
    workspace_id BIGINT NOT NULL,
    session_id   TEXT   NOT NULL,
    key          TEXT   NOT NULL,
    value        TEXT   NOT NULL,
    PRIMARY KEY (workspace_id, session_id, key)
);
CREATE INDEX session_metadata_value ON session_metadata (workspace_id, key, value);
