-- Sign-outs that need no answer from MANTYX, and workspaces that stay who they are.
--
-- A session of a client that never signed in counts with its size, because all of them together are limited.
ALTER TABLE web_session ADD COLUMN anonymous_bytes BIGINT NOT NULL DEFAULT 0;

-- Tokens of ended sign-ins that MANTYX has not revoked yet, encrypted. They are used for nothing else.
CREATE TABLE token_revocation (
    id         TEXT PRIMARY KEY,
    token      BYTEA   NOT NULL,
    created_at BIGINT NOT NULL
);

-- MANTYX's id of each workspace that the settings name by its slug: a slug can be given to another workspace later.
CREATE TABLE pinned_workspace (
    slug      TEXT PRIMARY KEY,
    mantyx_id TEXT NOT NULL
);
