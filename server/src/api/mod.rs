//! The JSON API for scripts: a session cookie, or a MANTYX credential as bearer, bound to its own workspace.

mod caller;
mod log;
mod runs;

pub use caller::ApiCaller;
pub use log::{get_events, get_timeline};
pub use runs::{get_run, list_runs};
