//! The MANTYX wire protocol, and the one reading of a run's log.
//!
//! ```text
//!  bytes ──sse::Frames──▶ frames ──Event::parse──▶ events ──Timeline::apply──▶ Timeline
//!                                                                                │
//!                                    banners, verdict, rows, minimap, replay ◀───┘
//! ```
//!
//! Everything here is pure: no clock, no I/O, no framework. The server, the sandbox and the browser share it.

pub mod event;
pub mod ids;
pub mod json;
pub mod messages;
pub mod query;
pub mod redact;
pub mod snippet;
pub mod spec;
pub mod sse;
pub mod status;
pub mod timeline;
pub mod validate;

pub use event::Event;
pub use query::Query;
pub use status::RunStatus;
pub use timeline::Timeline;
