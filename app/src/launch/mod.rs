//! Launching: what the form, the server functions and the server say to each other. Plain data, small in the browser.

mod answers;
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

pub use answers::{
    A2aPeer, AnswerRecord, AnswerState, Answerer, Answers, CannedReply, Headers, McpEndpoint, McpTool, Via,
};
#[cfg(feature = "ssr")]
pub use backend::{LaunchEntry, Launching, Posted, Upload};
pub use catalogue::{Catalogue, Choice, McpDiscovery, MetadataInUse, ModelChoice, Offer};
pub use diff::{Change, diff};
pub use form::Form;
pub use library::{
    Batch, BatchItem, BatchItemState, BatchProgress, BatchRequest, Draft, Template, TemplateDraft, TemplateOwner,
};
pub use preflight::{Light, LightState, Question, ToolCheck};
pub use request::{LaunchContent, LaunchMode, LaunchRequest, Launched, local_tools};
