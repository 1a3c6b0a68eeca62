-- One row that `/readyz` writes. A database whose disk is full can still be read, and a transaction that changes nothing
-- still succeeds: only a write shows that writing works.

CREATE TABLE write_check (
    id         BIGINT PRIMARY KEY,
    checked_at BIGINT NOT NULL
);
