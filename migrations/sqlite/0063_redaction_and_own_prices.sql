-- What a workspace hides in everything that it shows: regular expressions as a JSON list. Stored runs stay as they are. The
-- version is raised by each change, so that two people do not overwrite each other and compiled patterns are not used too long.
CREATE TABLE redaction (
    workspace_id BIGINT NOT NULL PRIMARY KEY REFERENCES workspace (id),
    patterns     TEXT   NOT NULL,
    version      BIGINT NOT NULL
);

-- The key of the hashes that replace values, encrypted. In a table of its own: deleting a key that cannot be read any
-- more does not delete the patterns.
CREATE TABLE redaction_key (
    workspace_id BIGINT NOT NULL PRIMARY KEY REFERENCES workspace (id),
    hash_key     BLOB NOT NULL
);

-- Prices that a workspace set for models without one in MANTYX's catalogue. As in the table price, each change is a new row;
-- a run names its price by the negative id. An empty pricing is a price that was removed.
CREATE TABLE own_price (
    id           INTEGER PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    model        TEXT   NOT NULL,
    pricing      TEXT   NOT NULL,
    set_at       BIGINT NOT NULL,
    set_by       TEXT   NOT NULL
);
CREATE INDEX own_price_model ON own_price (workspace_id, model, id);
