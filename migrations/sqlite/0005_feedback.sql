-- What people here think of runs. MANTYX keeps one judgement a run; this is where ours stands when the sign-in may not
-- send it, and what the page shows in either case.
CREATE TABLE run_feedback (
    workspace_id BIGINT NOT NULL,
    run_id       TEXT   NOT NULL,
    verdict      TEXT   NOT NULL, -- UP or DOWN
    explanation  TEXT   NOT NULL,
    given_by     TEXT   NOT NULL,
    given_at     BIGINT NOT NULL,
    sent         BIGINT NOT NULL, -- 1 when MANTYX has it
    PRIMARY KEY (workspace_id, run_id)
) WITHOUT ROWID;
