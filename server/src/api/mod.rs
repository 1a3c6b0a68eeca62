//! The JSON API for scripts: a session cookie, or a MANTYX credential as bearer, bound to its own workspace.

mod browse;
mod caller;
mod log;
mod runs;

use app::AppError;

use crate::error::Error;

pub use browse::{facets, histogram, set_sync, sync, values};
pub use caller::ApiCaller;
pub use log::{get_events, get_timeline};
pub use runs::{get_run, list_runs};

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}
