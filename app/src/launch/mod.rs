//! Launching: what the form, the server functions and the server say to each other. Plain data, small in the browser.

#[cfg(feature = "ssr")]
mod backend;
mod catalogue;
mod diff;
pub mod form;
mod library;
mod preflight;
mod request;
pub mod sheet;
pub mod work;

#[cfg(feature = "ssr")]
pub use backend::{LaunchEntry, Launching};
pub use catalogue::{Catalogue, Choice, MetadataInUse, ModelChoice, Offer};
pub use diff::{Change, diff};
pub use form::Form;
pub use library::{BatchRequest, Template, TemplateDraft, TemplateOwner};
pub use preflight::{Light, LightState, Question, ToolCheck};
pub use request::{LaunchContent, LaunchMode, LaunchRequest, Launched, local_tools};
