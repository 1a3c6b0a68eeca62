//! The MANTYX wire protocol, and the reducer that turns a run's log into a timeline.
//!
//! ```text
//!  bytes ──sse::Frames──▶ frames ──Event::parse──▶ events ──Timeline::apply──▶ Timeline
//!                                                                                │
//!                                    banners, verdict, rows, minimap, replay ◀───┘
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`messages`] | responses of the HTTP API |
//! | [`spec`], [`fields`], [`validate`] | the settings of a spec with their defaults; the table of its fields; its errors |
//! | [`event`], [`sse`], [`log_file`] | events of a run's log, the frames that carry them, and files of them |
//! | [`timeline`] | the reducer, and the views of a timeline: banners, verdict, rows, minimap, replay, comparison |
//! | [`query`] | the filter language of the run list |
//! | [`json`], [`json_pointer`], [`partial_json`], [`schema`] | JSON: helpers, pointers, truncated text, JSON Schema |
//! | [`redact`], [`snippet`] | specs without their secrets, and as code that launches them |
//!
//! Everything here is pure: no clock, no I/O, no framework. The server, the sandbox and the browser share it.

pub mod event;
pub mod fields;
pub mod ids;
pub mod json;
pub mod json_pointer;
pub mod log_file;
pub mod messages;
pub mod partial_json;
pub mod query;
pub mod redact;
pub mod schema;
pub mod snippet;
pub mod spec;
pub mod sse;
mod status;
pub mod timeline;
pub mod validate;

#[cfg(test)]
mod testing;

pub use event::Event;
pub use query::Query;
pub use status::RunStatus;
pub use timeline::Timeline;
