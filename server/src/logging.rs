//! Structured logs: readable lines on a terminal, JSON elsewhere. `RUST_LOG` chooses what is logged.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// A peer that cannot be reached is an answer to whoever named it, not a fault of this server: rmcp is not heard.
const DEFAULT: &str = "info,sqlx=warn,tower_sessions=warn,rmcp=off";

pub fn init() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    if std::io::stderr().is_terminal() {
        logs.compact().init();
    } else {
        logs.json().flatten_event(true).init();
    }
}
