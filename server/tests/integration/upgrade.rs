//! Upgrades with data: each migration runs on the rows that the version before it wrote, and then the pages show them.
//!
//! The rows are written as each version had its tables, so they never change when the code does.

use std::path::Path;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use sqlx::AnyPool;
use sqlx::migrate::Migrator;

use crate::harness::{DEMO, TestApp, TestDatabase, eventually};

const SECRET_KEY: &str = "a key for tests, long enough to be accepted";
/// Some time in 2026, in milliseconds.
const THEN_MS: i64 = 1_770_000_000_000;

/// Encrypts as the first version did: a nonce, then the text, for a purpose.
fn sealed(purpose: &str, text: &str) -> Vec<u8> {
    let key = Sha256::new().chain_update(b"runlens vault v1\0").chain_update(SECRET_KEY).finalize();
    let nonce = [7_u8; 24];
    let payload = Payload { msg: text.as_bytes(), aad: purpose.as_bytes() };
    let text = XChaCha20Poly1305::new(&key).encrypt(&XNonce::from(nonce), payload).unwrap();
    [nonce.to_vec(), text].concat()
}

fn answer(version: i64) -> String {
    format!("answerofversion{version}")
}

fn events(version: i64) -> [String; 2] {
    let text = answer(version);
    [
        format!(r#"{{"seq":1,"type":"assistant_message","data":{{"text":"{text}","turn":0}}}}"#),
        format!(r#"{{"seq":2,"type":"result","data":{{"subtype":"success","text":"{text}"}}}}"#),
    ]
}

async fn execute(pool: &AnyPool, sql: &'static str) {
    sqlx::query(sql).execute(pool).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
}

async fn execute_with(pool: &AnyPool, sql: &'static str, blob: &[u8]) {
    sqlx::query(sql).bind(blob).execute(pool).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
}

/// Writes rows as the version with this last migration did.
async fn write_rows(pool: &AnyPool, version: i64) {
    match version {
        1 => write_first_rows(pool).await,
        2 => write_numbered_rows(pool).await,
        3 => {
            let sql = "INSERT INTO sync_state (workspace_id, known_until, history, history_cursor, history_runs, total, \
                       total_at, paused, can_list, synced_at, keep_after, last_error) \
                       VALUES (7, 0, 0, NULL, 0, NULL, NULL, 0, 1, 0, 0, NULL)";
            execute(pool, sql).await;
        }
        4 => {
            let view = "INSERT INTO saved_view (id, workspace_id, owner, list, name, query, shared, created_at) \
                        VALUES ('view_1', 7, 'user_1', 'runs', 'Shared since version 4', 'status:failed', 1, 0)";
            let default = "INSERT INTO default_view (workspace_id, owner, list, view_id) \
                           VALUES (7, 'user_1', 'runs', 'view_1')";
            let session = "INSERT INTO session (workspace_id, id, name, status, summary, metadata, created_at, \
                           last_used_at) VALUES (7, 'sess_old', 'Conversation of version 4', 'active', 'Old', '{}', \
                           1770000000000, 1770000000000)";
            let metadata = "INSERT INTO session_metadata (workspace_id, session_id, key, value) \
                            VALUES (7, 'sess_old', 'customer', 'acme')";
            for sql in [view, default, session, metadata] {
                execute(pool, sql).await;
            }
        }
        5 => {
            let sql = "INSERT INTO run_feedback (workspace_id, run_id, verdict, explanation, given_by, given_at, sent) \
                       VALUES (7, 'run_v1', 'DOWN', 'feedback of version 5', 'user_1', 1770000000000, 1)";
            execute(pool, sql).await;
        }
        6 => write_launch_rows(pool).await,
        7 => {
            let sql = "INSERT INTO run_import (workspace_id, run_id, report) VALUES (7, 'run_v2', \
                       '{\"source\":\"file-of-version-7\",\"importedAtMs\":1770000000000,\"events\":2,\"faultCount\":1,\
                       \"faults\":[{\"line\":3,\"reason\":\"line of version 7\"}]}')";
            execute(pool, sql).await;
        }
        8 => {
            let sql = "INSERT INTO launch (workspace_id, key, fingerprint, run_id, state, lease_until, created_at, \
                       subject, marked) VALUES (7, 'key_8', 'f', 'run_v2', 'started', 0, 0, 'user_1', 0)";
            execute(pool, sql).await;
        }
        13 => {
            let sql = "INSERT INTO key_check (id, sealed) VALUES (1, $1)";
            execute_with(pool, sql, &sealed("key check", "the key of this database")).await;
        }
        14 => {
            let sql = "INSERT INTO token_revocation (id, token, created_at) VALUES ('t', $1, 1770000000000)";
            execute_with(pool, sql, &sealed("token to revoke", "mantyx_rt_unknown")).await;
            execute(pool, "INSERT INTO pinned_workspace (slug, mantyx_id) VALUES ('demo', 'ws_demo')").await;
        }
        38 => write_failed_run(pool).await,
        _ => {}
    }
    if version > 2 {
        // Each version stores a run in progress event by event.
        write_run(pool, version).await;
    }
}

async fn write_first_rows(pool: &AnyPool) {
    execute(pool, "INSERT INTO workspace (id, mantyx_id, slug, name) VALUES (7, 'ws_demo', 'demo', 'Demo')").await;
    let run = "INSERT INTO run (workspace_id, id, session_id, status, name, model, input_preview, output_preview, \
               input_tokens, output_tokens, turns, tool_calls, duration_ms, created_at, completed_at, metadata, spec, \
               marks, log_complete) VALUES (7, 'run_v1', NULL, 'succeeded', 'Run of version 1', 'sandbox/script', \
               'question', 'answer', 10, 20, 1, 0, 900, 1770000000000, 1770000000900, '{\"customer\":\"acme\"}', \
               '{\"systemPrompt\":\"You help.\"}', 0, 1)";
    execute(pool, run).await;
    let metadata = "INSERT INTO run_metadata (workspace_id, key, value, created_at, run_id) \
                    VALUES (7, 'customer', 'acme', 1770000000000, 'run_v1')";
    execute(pool, metadata).await;
    for (index, event) in events(1).into_iter().enumerate() {
        let sql = "INSERT INTO run_event (workspace_id, run_id, seq, event) VALUES (7, 'run_v1', $1, $2)";
        sqlx::query(sql).bind(index as i64 + 1).bind(event).execute(pool).await.unwrap();
    }
    let grant = "INSERT INTO oauth_grant (id, workspace_id, subject, email, scopes, access_token, access_expires_at, \
                 refresh_token, created_at) VALUES ('grant_1', 7, 'user_1', 'old@demo.test', 'runs:read', $1, 0, NULL, \
                 1770000000000)";
    execute_with(pool, grant, &sealed("access token", "mantyx_at_unknown")).await;
    let session = "INSERT INTO web_session (id, record, expires_at) VALUES ('cookie_1', $1, 9000000000000)";
    execute_with(pool, session, &sealed("web session", "{}")).await;
}

/// The tables of version 2 have list keys, tags and packed logs.
async fn write_numbered_rows(pool: &AnyPool) {
    let run = "INSERT INTO run (n, workspace_id, id, status, name, model, error, error_class, created_at, completed_at, \
               metadata, marks, origin, log_state, tags, indexed) VALUES ($1, 7, 'run_v2', 'succeeded', \
               'Run of version 2', 'sandbox/script', NULL, NULL, $2, $2, '{\"customer\":\"globex\"}', 0, 1, 1, '70;', 1)";
    let n = (THEN_MS + 2_000) * 1024;
    sqlx::query(run).bind(n).bind(THEN_MS + 2_000).execute(pool).await.unwrap();
    let tag = "INSERT INTO tag (id, workspace_id, key, value, runs) VALUES (70, 7, 'metadata.customer', 'globex', 1)";
    execute(pool, tag).await;
    sqlx::query("INSERT INTO run_tag (tag_id, n) VALUES (70, $1)").bind(n).execute(pool).await.unwrap();
    let hour = "INSERT INTO run_hour (workspace_id, hour, status, runs) VALUES (7, $1, 'succeeded', 1)";
    sqlx::query(hour).bind((THEN_MS + 2_000) / 3_600_000).execute(pool).await.unwrap();
    let log = "INSERT INTO run_log (n, first_seq, last_seq, events, body) VALUES ($1, 1, 2, 2, $2)";
    sqlx::query(log).bind(n).bind(events(2).join("\n").into_bytes()).execute(pool).await.unwrap();
    sqlx::query("INSERT INTO run_spec (n, body) VALUES ($1, $2)")
        .bind(n)
        .bind(br#"{"systemPrompt":"You help."}"#.to_vec())
        .execute(pool)
        .await
        .unwrap();
    let price =
        "INSERT INTO price (id, workspace_id, model, pricing, seen_at) VALUES (1, 7, 'sandbox/script', '{}', 0)";
    execute(pool, price).await;
}

async fn write_launch_rows(pool: &AnyPool) {
    execute(
        pool,
        "INSERT INTO launch (workspace_id, key, fingerprint, session_id, run_id, state, lease_until, created_at) \
         VALUES (7, 'key_6', 'f', NULL, 'run_v1', 'started', 0, 0)",
    )
    .await;
    let answerer = "INSERT INTO run_answerer (workspace_id, run_id, subject, answers, state, owner, lease_until, \
                    after_seq, created_at) VALUES (7, 'run_v1', 'user_1', $1, 'done', '', 0, 0, 0)";
    execute_with(pool, answerer, &sealed("answers", "{}")).await;
    let answer = "INSERT INTO run_answer (workspace_id, run_id, tool_use_id, tool, via, answered_by, state, owner, reply, \
                  problem, changed_at) VALUES (7, 'run_v1', 'call', 'approve', 'hand', 'user_1', 'sent', '', $1, NULL, 0)";
    execute_with(pool, answer, &sealed("answer", "{}")).await;
    let content = r#"{"spec":{"systemPrompt":"You help.","prompt":"Hello"},"answers":{}}"#;
    let template = "INSERT INTO launch_template (workspace_id, id, subject, email, shared, name, notes, content, \
                    changed_at) VALUES (7, 'template_6', 'user_1', 'old@demo.test', 1, 'Template of version 6', '', $1, 0)";
    execute_with(pool, template, &sealed("template", content)).await;
    let draft = "INSERT INTO launch_draft (workspace_id, subject, content, changed_at) VALUES (7, 'user_1', $1, 0)";
    execute_with(pool, draft, &sealed("draft", content)).await;
    let batch = "INSERT INTO launch_batch (workspace_id, id, subject, tag_key, tag_value, content, state, owner, \
                 lease_until, problem, created_at) VALUES (7, 'batch_6', 'user_1', 'batch', '6', $1, 'done', '', 0, \
                 NULL, 0)";
    execute_with(pool, batch, &sealed("batch", content)).await;
    let item = "INSERT INTO launch_batch_item (workspace_id, batch_id, position, input, state, run_id, problem) \
                VALUES (7, 'batch_6', 0, $1, 'launched', 'run_v1', NULL)";
    execute_with(pool, item, &sealed("batch", r#"{"prompt":"Hello"}"#)).await;
}

/// An ended run whose log is not packed yet. The columns exist since version 2.
async fn write_run(pool: &AnyPool, version: i64) {
    let created_at = THEN_MS + version * 1_000;
    let n = created_at * 1024;
    let run = "INSERT INTO run (n, workspace_id, id, status, name, created_at, completed_at, metadata, marks, origin, \
               log_state, tags, indexed) VALUES ($1, 7, $2, 'succeeded', $3, $4, $4, '{}', 0, 0, 1, ';', 0)";
    sqlx::query(run)
        .bind(n)
        .bind(format!("run_v{version}"))
        .bind(format!("Run of version {version}"))
        .bind(created_at)
        .execute(pool)
        .await
        .unwrap();
    for (index, event) in events(version).into_iter().enumerate() {
        let sql = "INSERT INTO run_event (n, seq, event) VALUES ($1, $2, $3)";
        sqlx::query(sql).bind(n).bind(index as i64 + 1).bind(event).execute(pool).await.unwrap();
    }
}

/// A run that failed before there were failure groups.
async fn write_failed_run(pool: &AnyPool) {
    let created_at = THEN_MS + 500;
    let n = created_at * 1024;
    let run = "INSERT INTO run (n, workspace_id, id, status, name, created_at, completed_at, metadata, marks, origin, \
               log_state, tags, indexed) VALUES ($1, 7, 'run_failed', 'failed', 'Failed run', $2, $2, '{}', 0, 0, 1, ';', 4)";
    sqlx::query(run).bind(n).bind(created_at).execute(pool).await.unwrap();
    let event = r#"{"seq":1,"type":"error","data":{"error":"Order 7 of version 38 failed","errorClass":"unknown"}}"#;
    sqlx::query("INSERT INTO run_event (n, seq, event) VALUES ($1, 1, $2)")
        .bind(n)
        .bind(event)
        .execute(pool)
        .await
        .unwrap();
}

#[tokio::test]
async fn data_of_every_version_is_shown_after_the_upgrade() {
    let dir = tempfile::tempdir().unwrap();
    let database = TestDatabase::create(dir.path()).await;
    let engine = if database.url.starts_with("postgres") { "postgres" } else { "sqlite" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(engine);
    let migrator = Migrator::new(folder).await.unwrap();
    let url = if engine == "sqlite" { format!("{}?mode=rwc", database.url) } else { database.url.clone() };
    sqlx::any::install_default_drivers();
    let pool = sqlx::any::AnyPoolOptions::new().max_connections(1).connect(&url).await.unwrap();
    let versions: Vec<i64> = migrator.iter().map(|migration| migration.version).collect();
    for version in &versions {
        migrator.run_to(*version, &pool).await.unwrap_or_else(|error| panic!("migration {version}: {error}"));
        write_rows(&pool, *version).await;
    }
    pool.close().await;

    let app = TestApp::start_beside(|_| {}).await;
    let app = app.replace(|config| config.database_url = database.url.clone()).await;
    let mut browser = app.signed_in(DEMO).await;
    for version in &versions {
        let page = browser.open(&format!("/runs/run_v{version}")).await;
        assert!(page.status == 200 && page.body.contains(&answer(*version)), "run of version {version}: {}", page.body);
        // Runs of earlier versions are indexed in the background.
        let found = format!("/runs?q={}", answer(*version));
        eventually(&format!("the text of version {version} is found"), async || {
            browser.open(&found).await.body.contains(&format!("run_v{version}")).then_some(())
        })
        .await;
    }
    for (path, expected) in [
        ("/runs?q=customer:acme", "Run of version 1"),
        ("/runs?q=customer:globex", "Run of version 2"),
        ("/runs", "Shared since version 4"),
        ("/sessions", "Conversation of version 4"),
        ("/sessions?q=customer:acme", "Conversation of version 4"),
        ("/runs/run_v1", "feedback of version 5"),
        ("/launch", "Template of version 6"),
        ("/launch?template=template_6", "You help."),
        ("/runs/run_v2", "line of version 7"),
    ] {
        let page = browser.open(path).await;
        assert!(page.status == 200 && page.body.contains(expected), "{expected} in {path}: {}", page.body);
    }
    eventually("the failed run is in a group", async || {
        let page = browser.open("/failures?since=all").await.body;
        page.contains("Order … of version … failed").then_some(())
    })
    .await;
    let database = TestDatabase { url: database.url.clone() }.connect().await;
    let hashed: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM web_session WHERE id = 'cookie_1'")
        .fetch_one(&database)
        .await
        .unwrap();
    assert_eq!(hashed, 0, "the session id of the first version is still readable");
    app.running.stop().await.unwrap();
}
