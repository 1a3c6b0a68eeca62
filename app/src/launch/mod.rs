//! The launch form's draft, and the checks that both the server and the browser run on it.

pub mod control_name;
pub mod draft;
mod entry;
mod local_tools;
mod tool_check;

pub use control_name::{ControlKind, ControlName};
pub use draft::{LaunchDraft, LaunchMode};
pub use entry::LaunchEntry;
pub use local_tools::local_tools;
pub use tool_check::{Check, CheckKind, ToolCheck};
