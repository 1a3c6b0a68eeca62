//! The launch form's draft, and the checks that both the server and the browser run on it.

#[cfg(feature = "ssr")]
mod action;
pub mod control_name;
pub mod draft;
#[cfg(feature = "ssr")]
mod entry;
mod local_tools;
mod tool_check;

#[cfg(feature = "ssr")]
pub use action::{Action, Verb};
pub use control_name::ControlName;
pub use draft::{LaunchDraft, LaunchMode};
#[cfg(feature = "ssr")]
pub use entry::{DraftEntry, LaunchEntry};
pub use local_tools::local_tools;
pub use tool_check::{Check, CheckKind, CheckState, ToolCheck};
