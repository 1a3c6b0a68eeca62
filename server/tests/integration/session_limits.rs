//! Tests of when sessions end, what happens to their grants, and what the database says about session ids.

use crate::harness::{Browser, DEMO, TestApp, eventually};

const DAY_MS: i64 = 86_400_000;

fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

async fn count(database: &sqlx::AnyPool, table: &'static str) -> i64 {
    let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    sqlx::query_scalar(sql).fetch_one(database).await.unwrap()
}

async fn refresh_tokens_at_mantyx(app: &TestApp) -> i64 {
    let sandbox = app.sandbox_database().await;
    sqlx::query_scalar("SELECT COUNT(*) FROM refresh_tokens").fetch_one(&sandbox).await.unwrap()
}

async fn is_signed_in(browser: &mut Browser) -> bool {
    browser.open("/runs").await.url.path() == "/runs"
}

async fn update(database: &sqlx::AnyPool, sql: &'static str, value: i64) {
    sqlx::query(sql).bind(value).execute(database).await.unwrap();
}

#[tokio::test]
async fn the_database_has_no_session_id_of_a_cookie() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let cookie = browser.cookies["runlens_session"].clone();
    let database = app.database.connect().await;
    let ids: Vec<String> = sqlx::query_scalar("SELECT id FROM web_session").fetch_all(&database).await.unwrap();
    assert!(!ids.is_empty() && ids.iter().all(|id| id.len() == 64 && !id.contains(&cookie)), "{ids:?}");
    assert!(is_signed_in(&mut browser).await);
}

#[tokio::test]
async fn a_session_of_an_earlier_version_goes_on_under_a_hashed_id() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let cookie = browser.cookies["runlens_session"].clone();
    let database = app.database.connect().await;
    sqlx::query("UPDATE web_session SET id = $1, grant_id = NULL WHERE grant_id IS NOT NULL")
        .bind(&cookie)
        .execute(&database)
        .await
        .unwrap();
    assert!(!is_signed_in(&mut browser).await, "an id is not taken as its own hash");
    browser.cookies.insert("runlens_session".to_owned(), cookie);
    app.restart(|_| {}).await;
    assert!(is_signed_in(&mut browser).await);
    let sql = "SELECT COUNT(*) FROM web_session s JOIN oauth_grant g ON g.id = s.grant_id WHERE length(s.id) = 64";
    let hashed: i64 = sqlx::query_scalar(sql).fetch_one(&database).await.unwrap();
    assert_eq!(hashed, 1);
}

#[tokio::test]
async fn a_session_ends_14_days_after_its_last_use() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    let set_used = "UPDATE web_session SET used_at = $1";
    update(&database, set_used, now_ms() - 13 * DAY_MS).await;
    assert!(is_signed_in(&mut browser).await);
    eventually("the use is recorded", async || {
        let used: i64 = sqlx::query_scalar("SELECT MAX(used_at) FROM web_session").fetch_one(&database).await.unwrap();
        (used > now_ms() - DAY_MS).then_some(())
    })
    .await;
    update(&database, set_used, now_ms() - 14 * DAY_MS).await;
    assert!(!is_signed_in(&mut browser).await);

    // Its grant is the only one that the background sync can use, so it stays until the next sign-in.
    let settled = "UPDATE oauth_grant SET created_at = created_at - $1";
    update(&database, settled, DAY_MS).await;
    app.restart(|_| {}).await;
    eventually("the session is deleted", async || (count(&database, "web_session").await == 0).then_some(())).await;
    assert_eq!((count(&database, "oauth_grant").await, refresh_tokens_at_mantyx(&app).await), (1, 1));
    app.signed_in(DEMO).await;
    app.restart(|_| {}).await;
    eventually("the unused grant is deleted", async || (count(&database, "oauth_grant").await == 1).then_some(()))
        .await;
    eventually("its token is revoked", async || (refresh_tokens_at_mantyx(&app).await == 1).then_some(())).await;
}

#[tokio::test]
async fn a_session_ends_90_days_after_its_sign_in_and_its_grant_is_revoked() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    let set_signed_in = "UPDATE oauth_grant SET created_at = $1";
    update(&database, set_signed_in, now_ms() - 89 * DAY_MS).await;
    assert!(is_signed_in(&mut browser).await);
    update(&database, set_signed_in, now_ms() - 90 * DAY_MS).await;
    assert!(!is_signed_in(&mut browser).await);
    app.restart(|_| {}).await;
    eventually("the grant is deleted", async || (count(&database, "oauth_grant").await == 0).then_some(())).await;
    // Tokens are revoked in the background.
    eventually("its token is revoked", async || (refresh_tokens_at_mantyx(&app).await == 0).then_some(())).await;
}

#[tokio::test]
async fn a_grant_stays_while_answers_wait_for_it() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let database = app.database.connect().await;
    // Three people have signed in, one after the other. The background sync has the last one's grant.
    for (subject, age_ms) in [("ada", 3 * DAY_MS), ("bob", 2 * DAY_MS), ("eve", DAY_MS)] {
        app.signed_in(DEMO).await;
        sqlx::query("UPDATE oauth_grant SET subject = $1, created_at = $2 WHERE created_at > $3")
            .bind(subject)
            .bind(now_ms() - age_ms)
            .bind(now_ms() - DAY_MS / 2)
            .execute(&database)
            .await
            .unwrap();
    }
    update(&database, "DELETE FROM web_session WHERE used_at > $1", 0).await;
    let answers = "INSERT INTO run_answerer (workspace_id, run_id, subject, answers, state, owner, lease_until, \
                   after_seq, created_at) SELECT workspace_id, 'run_waiting', subject, access_token, 'open', '', $1, 0, 0 \
                   FROM oauth_grant WHERE subject = 'ada'";
    update(&database, answers, i64::MAX).await;
    let left = async || -> Vec<String> {
        let sql = "SELECT subject FROM oauth_grant ORDER BY subject";
        sqlx::query_scalar(sql).fetch_all(&database).await.unwrap()
    };
    app.restart(|_| {}).await;
    // The oldest grant is looked at first, so it was kept when this one is gone.
    eventually("bob's grant is deleted", async || (!left().await.contains(&"bob".to_owned())).then_some(())).await;
    assert_eq!(left().await, ["ada", "eve"]);
    update(&database, "UPDATE run_answerer SET state = 'done' WHERE lease_until = $1", i64::MAX).await;
    app.restart(|_| {}).await;
    eventually("ada's grant is deleted", async || (left().await == ["eve"]).then_some(())).await;
}
