//! The launch form's draft, and the checks that both the server and the browser run on it.

pub mod draft;
#[cfg(feature = "ssr")]
mod entry;
mod local_tools;
mod spec_form;
mod tool_check;

pub use draft::{LaunchDraft, LaunchMode};
#[cfg(feature = "ssr")]
pub use entry::LaunchEntry;
pub use local_tools::local_tools;
pub use spec_form::SpecForm;
pub use tool_check::{Check, CheckKind, CheckState, ToolCheck};
