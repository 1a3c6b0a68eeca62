//! Structured logs: readable lines on a terminal, JSON elsewhere. `RUST_LOG` chooses what is logged.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

pub fn init() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn,tower_sessions=warn"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    if std::io::stderr().is_terminal() {
        logs.compact().init();
    } else {
        logs.json().flatten_event(true).init();
    }
}
