//! The calls of a workspace that wait for an answer from outside, across its runs.
//!
//! ```text
//!  runs tagged is:waiting ──folded logs──▶ board, one for all viewers ──▶ page, count in the rail, GET /api/waiting
//!                                            ▲ changed: events of a followed run, an answer, someone who writes
//!                                            └ GET /waiting/live looks at it, and tells browsers when to load it again
//! ```

mod board;
mod boards;
mod output_form;
mod relay;
mod reply;
mod responder;
mod sync;
mod writers;

use std::sync::Arc;

use crate::auth::Caller;
use crate::error::Error;
use crate::mirror::Freshness;
use crate::state::AppState;

pub use board::BoardCall;
pub use boards::Boards;
pub use output_form::{Control, OutputField, output_form};
pub use relay::relay;
pub use reply::{Reply, ReplyKind, ReplyPage};
pub use responder::{CallResponder, Launcher, find_launcher, load_answerers};
pub use writers::note_writer;

/// Returns the calls after syncing the runs in progress.
pub async fn list(state: &AppState, caller: &Caller) -> Result<(Arc<board::Board>, Freshness), Error> {
    let freshness = state.mirror.sync_newest(state, caller).await?;
    sync::sync_unfollowed(state, caller).await;
    Ok((state.waiting.load(state, caller.workspace_id).await?, freshness))
}
