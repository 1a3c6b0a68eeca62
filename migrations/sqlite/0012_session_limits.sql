-- Sessions end when they are not used, and after a sign-in they end anyway at some time. `expires_at` moved only when a
-- session was changed, so the last use is stored apart. `grant_id` is the sign-in that a session belongs to: a grant without
-- a session is revoked. `id` is a hash of the id in the cookie; the server replaces the ids of earlier versions when it
-- starts, and sets their `grant_id`.

ALTER TABLE web_session ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE web_session ADD COLUMN grant_id TEXT;
UPDATE web_session SET used_at = expires_at - 1209600000;
CREATE INDEX web_session_used ON web_session (used_at);
CREATE INDEX web_session_grant ON web_session (grant_id);
