//! Server start: clear errors, and stored data is found again.

use serde_json::json;

use url::Url;

use crate::harness::{DEMO, Proxy, TestApp, TestDatabase, test_config};

#[test]
fn the_help_explains_every_variable() {
    let help = std::process::Command::new(env!("CARGO_BIN_EXE_runlens")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for variable in ["RUNLENS_ADDR", "DATABASE_URL", "MANTYX_API_KEY", "RUST_LOG", "OPENAI_BASE_URL", "OPENAI_API_KEY"]
    {
        assert!(help.contains(variable), "{variable} is missing in {help}");
    }
}

#[tokio::test]
async fn a_port_in_use_is_reported() {
    let app = TestApp::start().await;
    let dir = tempfile::tempdir().unwrap();
    let mut config = test_config(dir.path().to_owned(), format!("sqlite://{}", dir.path().join("x.db").display()));
    config.addr = app.running.addr;
    let error = format!("{:#}", runlens::serve::start(config).await.err().unwrap());
    assert!(error.contains(&app.running.addr.to_string()) && error.contains("RUNLENS_ADDR"), "{error}");
}

#[tokio::test]
async fn a_read_only_data_folder_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let config = test_config(file.join("data"), "sqlite::memory:".to_owned());
    let error = format!("{:#}", runlens::serve::start(config).await.err().unwrap());
    assert!(error.contains("file/data") && error.contains("RUNLENS_DATA_DIR"), "{error}");
}

#[tokio::test]
async fn sessions_and_runs_survive_a_restart() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say remembered", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    browser.open(&format!("/runs/{id}")).await;
    let config = {
        let mut config = test_config(app.dir.path().to_owned(), app.database.url.clone());
        config.addr = app.running.addr;
        config
    };
    app.running.stop().await.unwrap();
    let again = runlens::serve::start(config).await.unwrap();
    let page = browser.open(&format!("/runs/{id}")).await;
    assert!(page.status == 200 && page.body.contains("remembered"), "{}", page.body);
    again.stop().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn the_data_folder_and_the_generated_key_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut config = test_config(data.clone(), format!("sqlite://{}", data.join("runlens.db").display()));
    config.secret_key = None;
    let running = runlens::serve::start(config).await.unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join("secret.key"))), (0o700, 0o600));
    running.stop().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn database_files_are_private_also_in_a_folder_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let url = format!("sqlite://{}", dir.path().join("runlens.db").display());
    let running = runlens::serve::start(test_config(dir.path().to_owned(), url)).await.unwrap();
    let mut files = Vec::new();
    for file in std::fs::read_dir(dir.path()).unwrap().map(Result::unwrap) {
        files.push((file.file_name().into_string().unwrap(), file.metadata().unwrap().permissions().mode() & 0o777));
    }
    for name in ["runlens.db", "runlens.db-wal", "runlens.db-shm", "sandbox.db", "sandbox.db-wal", "sandbox.db-shm"] {
        assert!(files.contains(&(name.to_owned(), 0o600)), "{name} in {files:?}");
    }
    running.stop().await.unwrap();
}

#[cfg(unix)]
#[test]
fn a_database_that_others_may_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("runlens.db");
    std::fs::write(&file, "").unwrap();
    let seed = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_runlens"));
        command.args(["seed", "--runs", "1"]).env_clear().env("RUNLENS_DATA_DIR", dir.path());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let warned = seed(0o640);
    assert!(warned.contains("runlens.db\"") && warned.contains("chmod 600"), "{warned}");
    assert!(!seed(0o600).contains("chmod"));
}

#[tokio::test]
async fn the_start_waits_for_a_database_that_is_restarting() {
    let dir = tempfile::tempdir().unwrap();
    let database = TestDatabase::create(dir.path()).await;
    // SQLite is a file: it does not restart.
    let Some(mut url) = Url::parse(&database.url).ok().filter(|url| url.scheme().starts_with("postgres")) else {
        return;
    };
    let (host, port) = (url.host_str().unwrap(), url.port().unwrap_or(5432));
    let target = tokio::net::lookup_host((host, port)).await.unwrap().next().unwrap();
    let proxy = Proxy::to_restarting(target, 3).await;
    url.set_host(Some("127.0.0.1")).unwrap();
    url.set_port(Some(proxy.addr.port())).unwrap();
    let running = runlens::serve::start(test_config(dir.path().to_owned(), url.to_string())).await.unwrap();
    running.stop().await.unwrap();
}
