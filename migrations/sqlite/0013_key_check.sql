-- A known text, encrypted with the server's key. A server whose key cannot decrypt it does not start: it would take
-- everything that is encrypted for lost.

CREATE TABLE key_check (
    id     BIGINT PRIMARY KEY,
    sealed BLOB NOT NULL
);
