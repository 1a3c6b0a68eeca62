//! Servers with a wrong key, and the replacement of a key.

use tokio::process::Command;

use crate::harness::{DEMO, TestApp, eventually, test_config};

const OLD: &str = "an old key of at least 32 characters";
const NEW: &str = "a new key of at least 32 characters!";

#[tokio::test]
async fn a_server_with_a_wrong_key_does_not_start_and_changes_nothing() {
    let app = TestApp::start_apart(|_| {}).await;
    app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    let open = "INSERT INTO launch_batch (workspace_id, id, subject, tag_key, tag_value, content, state, owner, \
                lease_until, created_at) SELECT workspace_id, 'batch', subject, 'k', 'v', access_token, 'open', '', 0, 0 \
                FROM oauth_grant";
    app.running.stop().await.unwrap();
    sqlx::query(open).execute(&database).await.unwrap();
    for key in [Some(NEW.to_owned()), None] {
        let mut config = test_config(app.dir.path().to_owned(), app.database.url.clone());
        config.secret_key = key;
        let error = format!("{:#}", runlens::serve::start(config).await.err().unwrap());
        assert!(error.contains("RUNLENS_SECRET_KEY") && error.contains("runlens rotate-key"), "{error}");
    }
    assert!(!app.dir.path().join("secret.key").exists(), "no key is generated for a database that has another");
    let batch: String = sqlx::query_scalar("SELECT state FROM launch_batch").fetch_one(&database).await.unwrap();
    assert_eq!(batch, "open");
}

#[tokio::test]
async fn users_stay_signed_in_while_a_key_is_replaced() {
    let mut app = TestApp::start_apart(|config| config.secret_key = Some(OLD.to_owned())).await;
    let mut browser = app.signed_in(DEMO).await;
    app = app.replace(|config| config.secret_key = Some(format!("{NEW},{OLD}"))).await;
    assert_eq!(browser.open("/runs").await.url.path(), "/runs");
    let rotated = Command::new(env!("CARGO_BIN_EXE_runlens"))
        .arg("rotate-key")
        .env_clear()
        .env("RUNLENS_DATA_DIR", app.dir.path())
        .env("DATABASE_URL", &app.database.url)
        .env("RUNLENS_SECRET_KEY", format!("{NEW},{OLD}"))
        .output()
        .await
        .unwrap();
    assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
    let printed = String::from_utf8(rotated.stdout).unwrap();
    assert!(printed.contains("encrypted with the first key") && printed.contains("0 unreadable"), "{printed}");
    app = app.replace(|config| config.secret_key = Some(NEW.to_owned())).await;
    assert_eq!(browser.open("/runs").await.url.path(), "/runs");
    app.running.stop().await.unwrap();
}

#[tokio::test]
async fn what_another_key_encrypted_stays_open_for_a_server_that_has_it() {
    let app = TestApp::start_apart(|_| {}).await;
    app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    // Values for another purpose cannot be decrypted, as those of another key.
    let batch = "INSERT INTO launch_batch (workspace_id, id, subject, tag_key, tag_value, content, state, owner, \
                 lease_until, created_at) SELECT workspace_id, 'batch', subject, 'k', 'v', access_token, 'open', '', 0, 0 \
                 FROM oauth_grant";
    let answers = "INSERT INTO run_answerer (workspace_id, run_id, subject, answers, state, owner, lease_until, \
                   after_seq, created_at) SELECT workspace_id, 'run_1', subject, access_token, 'open', '', 0, 0, 0 \
                   FROM oauth_grant";
    for sql in [batch, answers] {
        sqlx::query(sql).execute(&database).await.unwrap();
    }
    let mut first_owner = None;
    eventually("both were looked at", async || {
        let sql = "SELECT owner FROM run_answerer WHERE owner <> '' AND state = 'open' AND EXISTS \
                   (SELECT 1 FROM launch_batch WHERE owner <> '' AND problem IS NOT NULL AND state = 'open')";
        let owner: String = sqlx::query_scalar(sql).fetch_optional(&database).await.unwrap()?;
        // Each lease has an owner of its own: at the second one, the first look has left the answers open.
        (*first_owner.get_or_insert(owner.clone()) != owner).then_some(())
    })
    .await;
}
