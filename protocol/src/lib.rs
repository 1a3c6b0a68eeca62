//! The MANTYX wire protocol, and the one reading of a run's log.
//!
//! ```text
//!  bytes ──sse::Frames──▶ frames ──Event::parse──▶ events ──Timeline::apply──▶ Timeline
//!                                                                                │
//!                                    banners, verdict, rows, minimap, replay ◀───┘
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`document`] | typed JSON that never loses a field; all messages are made of it |
//! | [`spec`] | what a run or a session is asked to do, and the defaults that apply |
//! | [`messages`] | what the HTTP API answers, and what is posted to a run |
//! | [`event`], [`sse`] | the log of a run, and the frames it travels in |
//! | [`validate`], [`schema`] | whether a spec may be sent, and which field to mend; JSON Schema |
//! | [`partial_json`] | what can be read of an answer that was cut off |
//! | [`timeline`] | the one reading of a log |
//! | [`query`] | the filter language of the run list |
//! | [`redact`], [`snippet`] | specs without their secrets, and as programs |
//!
//! Everything here is pure: no clock, no I/O, no framework. The server, the sandbox and the browser share it.

pub mod document;
pub mod event;
pub mod ids;
pub mod json;
pub mod log_file;
pub mod messages;
pub mod partial_json;
mod pointer;
pub mod query;
pub mod redact;
pub mod schema;
pub mod snippet;
pub mod spec;
pub mod sse;
pub mod status;
pub mod timeline;
pub mod validate;

#[cfg(test)]
mod testing;

pub use event::Event;
pub use query::Query;
pub use status::RunStatus;
pub use timeline::Timeline;
