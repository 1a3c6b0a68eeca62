//! One run as its page shows it, computed from the timeline.
//!
//! ```text
//!   address ──RunView──┐
//!                      ├──▶ RunState::of ──▶ what the page draws: verdict, banners, strip, rows, answer, tools
//!   log ────Timeline───┘
//! ```
//!
//! The server composes the state, for any point of the log, while the run goes on and after; the browser draws it. So the
//! reducer and its rules weigh nothing there. A state is bounded: that of a hundred thousand events has as few rows as
//! that of ten, and bodies only where they are open.

mod age;
mod awaited;
mod draw;
mod loop_lens;
mod retries;
mod row;
mod schema_fit;
mod state;
mod truncation;
mod view;
mod words;

pub use age::CallAge;
pub use draw::{SIDE_ID, imported};
pub use row::{Body, CallBody, CallOutcome, Row, RowKind, Tone};
pub use state::{Budget, RunState, Runway, Side, Source, Window};
pub use view::{Find, RunView, Tab, density_name};
pub use words::describe;
