//! Structured logs: readable lines on a terminal, JSON elsewhere. `RUST_LOG` sets the filter.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// rmcp is off: an unreachable peer is reported to the user who configured it and is not an error of this server.
const DEFAULT: &str = "info,sqlx=warn,tower_sessions=warn,rmcp=off";

pub fn init() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        // A line that cannot be written, as on a full disk, is dropped. Reporting that panics.
        .log_internal_errors(false);
    if std::io::stderr().is_terminal() {
        logs.compact().init();
    } else {
        logs.json().flatten_event(true).init();
    }
}
