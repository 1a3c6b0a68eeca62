//! Page models: plain data that the server builds and pages render.

pub mod batch;
pub mod chart;
mod columns;
pub mod compare;
pub mod deletion;
pub mod failures;
pub mod import;
pub mod insights;
pub mod launch;
pub mod list;
pub mod run;
pub mod runs;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod waiting;

use serde::{Deserialize, Serialize};

pub use columns::Column;

/// The signed-in user and their workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    pub email: String,
    pub workspace: String,
    pub workspace_slug: String,
    /// Calls that wait for an answer; 0 if the viewer may not see runs.
    pub waiting: u64,
}

/// The result of a plain form, shown once: the form was rejected, or it was successful and its page is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormNotice {
    pub message: String,
    /// Text from the form's fields, shown so that it is not lost.
    pub input: Vec<String>,
    #[serde(default)]
    pub is_success: bool,
    /// The form as it was sent, for a page that shows it in its fields, with the errors beside them.
    #[serde(default)]
    pub draft: Option<String>,
}
