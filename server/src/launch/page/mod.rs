//! The launch page: what is being written is read from a form, changed as its buttons say, and drawn again.
//!
//! ```text
//!  form ──apply──▶ Work ──actions──▶ Work ──draw──▶ LaunchPage ──▶ form
//!                                      └── kept as the draft
//! ```
//! The page holds all of its state, so it works the same with scripts, which send the form in the background, and
//! without, when the draft is what the next page is drawn from.

mod actions;
mod drafts;
mod draw;
mod entry;
mod faults;
mod larger_model;
mod pass;
mod peers;
mod session;

use app::AppError;
use app::launch::LaunchEntry;
use app::launch::sheet::{LaunchAnswer, LaunchPage};
use app::launch::work::{self, answering, apply, cards, choices, files, place, rows, told};

use super::{Launcher, library};
use crate::error::Error;
use crate::state::AppState;
use actions::After;
use drafts::Kept;
use work::Work;

pub use drafts::restore;
pub use pass::is_known;
pub use told::dom_id;

/// The fields and files of a submitted form.
#[derive(Clone, Debug, Default)]
pub struct Posted {
    pub fields: Vec<(String, String)>,
    pub uploads: Vec<Upload>,
}

#[derive(Clone, Debug)]
pub struct Upload {
    /// The control's.
    pub name: String,
    pub file_name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The page for an address: a run, a template or a session to begin from, or what was being written.
pub async fn open(state: &AppState, launcher: &Launcher, entry: &LaunchEntry) -> Result<LaunchPage, Error> {
    let mut work = entry::begin(state, launcher, entry).await?;
    pass::give(&state.vault, &mut work, launcher);
    session::look_up(state, launcher, &mut work).await?;
    draw_page(state, launcher, &work).await
}

/// What comes of a form that was sent.
pub async fn send(state: &AppState, launcher: &Launcher, posted: &Posted) -> Result<LaunchAnswer, Error> {
    let sent = apply::Sent::new(&posted.fields);
    let mut work: Work = match sent.get("work").map(serde_json::from_str) {
        Some(Ok(work)) => work,
        _ => return Err(AppError::Invalid { field: "work".to_owned(), message: UNREADABLE.to_owned() }.into()),
    };
    if !pass::is_of(&work, launcher) {
        return Ok(LaunchAnswer::Foreign { message: pass::refusal(&work, launcher) });
    }
    work.done = None;
    pass::give(&state.vault, &mut work, launcher);
    apply::apply(&mut work, &sent);
    let action = sent.get("do").unwrap_or_default();
    let after = act(state, launcher, &mut work, action, posted).await;
    // Also where it came to nothing: what was written is not lost.
    let kept = match drafts::keep(state, launcher, &mut work).await {
        Ok(Kept::Whole) if !action.is_empty() => String::new(),
        Ok(Kept::Whole) => "Draft kept.".to_owned(),
        Ok(Kept::WithoutFiles) => "The draft is kept without its files: they are too large.".to_owned(),
        Err(error) => format!("The draft is not kept. {}", error.advice()),
    };
    match after? {
        After::Done(href) => Ok(LaunchAnswer::Done { href }),
        After::Page { focus } => {
            let page = draw_page(state, launcher, &work).await?;
            Ok(LaunchAnswer::Page { page: Box::new(LaunchPage { focus, kept, ..page }) })
        }
    }
}

const UNREADABLE: &str = "The form came in pieces. Open the page again: your draft is kept.";

async fn draw_page(state: &AppState, launcher: &Launcher, work: &Work) -> Result<LaunchPage, Error> {
    let catalogue = state.catalogues.read(state, launcher).await?;
    let templates = library::templates(state, launcher).await?;
    let runs_url = state.mantyx.runs_url(&launcher.caller.slug);
    Ok(draw::page(work, &catalogue, &templates, faults::of(work), &runs_url))
}

/// What can be launched: the same key is the same launch.
fn keyed(work: Work) -> Work {
    Work { key: crate::random::token(), ..work }
}

async fn act(
    state: &AppState,
    launcher: &Launcher,
    work: &mut Work,
    action: &str,
    posted: &Posted,
) -> Result<After, Error> {
    session::look_up(state, launcher, work).await?;
    actions::act(state, launcher, work, action, posted).await
}

#[cfg(test)]
mod field_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod typing_tests;
