//! Tests of start errors.

use sandbox::Config;

use crate::support::Harness;

async fn failure(config: Config) -> String {
    match sandbox::start(config).await {
        Ok(_) => panic!("it started"),
        Err(error) => format!("{error:#}"),
    }
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let harness = Harness::start().await;
    let addr = harness.sandbox.addr();
    let message = failure(Config::new(addr, harness.folder.path().join("second.db"))).await;
    assert!(message.contains(&addr.to_string()), "{message}");
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").expect("a file");
    let addr = "127.0.0.1:0".parse().expect("an address");
    for database in [file.join("sandbox.db"), folder.path().to_owned()] {
        let message = failure(Config::new(addr, &database)).await;
        assert!(message.contains(&*folder.path().to_string_lossy()), "{message}");
    }
}

#[tokio::test]
async fn it_listens_on_loopback_only_unless_remote_access_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::new("0.0.0.0:0".parse().expect("an address"), folder.path().join("sandbox.db"));
    let message = failure(config).await;
    assert!(message.contains("refuses to listen on 0.0.0.0:0"), "{message}");
}
