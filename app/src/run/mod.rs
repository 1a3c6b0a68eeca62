//! One run as its page shows it, computed from the timeline.
//!
//! ```text
//!   address ──RunView──┐
//!                      ├──▶ RunState::of ──▶ what the page draws: verdict, banners, strip, rows, answer, tools
//!   log ────Timeline───┘
//! ```
//!
//! The server composes the state of a run that has ended, for any point of its log; the browser composes it itself
//! while it follows a run live. A state is bounded: a log of a hundred thousand events has as few rows in it as one of
//! ten, and bodies only where they are open.

mod row;
mod state;
mod view;

pub use row::{Body, CallBody, CallOutcome, Row, RowKind, Tone};
pub use state::{RunState, Runway, Window};
pub use view::{Find, RunView, Tab, density_word};
