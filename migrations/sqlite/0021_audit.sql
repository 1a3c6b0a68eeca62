-- Who did what, when and from where. Entries are only added, and go by age and number. They contain no prompts, answers or
-- tokens: `target` is an id, `detail` is a few words of our own.
CREATE TABLE audit_entry (
    id           INTEGER PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    at           BIGINT NOT NULL,
    actor        TEXT   NOT NULL, -- email address, or what acted without a person
    address      TEXT,            -- of the client
    action       TEXT   NOT NULL,
    target       TEXT,
    detail       TEXT
);
CREATE INDEX audit_entry_list ON audit_entry (workspace_id, id);
CREATE INDEX audit_entry_age ON audit_entry (at);
