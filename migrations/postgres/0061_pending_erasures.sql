-- Erasures of many runs that are not finished. Each deletes in several transactions, and the rest follows after a restart. The
-- target is encrypted, because it may be a metadata value that has to go; the hash only tells two targets apart.
CREATE TABLE pending_erasure (
    workspace_id BIGINT NOT NULL,
    target_hash  TEXT   NOT NULL,
    target       BYTEA  NOT NULL,
    started_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, target_hash)
);
