//! The draft: what somebody was writing last. Whoever begins something else goes on to find what was there before.

use app::AppError;

use super::super::{Launcher, library};
use super::apply::{Sent, apply};
use super::work::Work;
use super::{Posted, files, pass};
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;

/// How much of the work is in the draft.
pub enum Kept {
    Whole,
    WithoutFiles,
}

/// Keeps the work as the draft. The first time, whatever stood there is put aside. What is too large is kept
/// without its files: words are harder to write again.
pub async fn keep(state: &AppState, launcher: &Launcher, work: &mut Work) -> Result<Kept, AppError> {
    if std::mem::take(&mut work.fresh) {
        work.earlier = set_aside(state, launcher, work).await?;
    }
    let text = serde_json::to_string(work).unwrap_or_default();
    if text.len() <= library::MAX_DRAFT_BYTES {
        library::save_draft(state, launcher, library::Slot::Current, &text).await?;
        return Ok(Kept::Whole);
    }
    let words = Work { spec: files::without(&work.spec), left: Default::default(), ..work.clone() };
    let text = serde_json::to_string(&words).unwrap_or_default();
    library::save_draft(state, launcher, library::Slot::Current, &text).await?;
    Ok(Kept::WithoutFiles)
}

pub async fn read(state: &AppState, launcher: &Launcher, slot: library::Slot) -> Result<Option<Work>, Error> {
    let draft = library::draft(state, launcher, slot).await?;
    Ok(draft.and_then(|draft| serde_json::from_str(&draft).ok()))
}

/// Whether there was something to put aside.
async fn set_aside(state: &AppState, launcher: &Launcher, work: &Work) -> Result<bool, Error> {
    let Some(there) = read(state, launcher, library::Slot::Current).await? else { return Ok(false) };
    if there.key == work.key || there.spec == Work::new().spec {
        return Ok(false);
    }
    let text = serde_json::to_string(&there).unwrap_or_default();
    library::save_draft(state, launcher, library::Slot::Earlier, &text).await?;
    Ok(true)
}

/// Takes up a form that was sent when nobody was signed in any more, for the person who wrote it. Nothing is launched.
pub async fn restore(state: &AppState, caller: &Caller, posted: &Posted) -> Result<(), Error> {
    let launcher = Launcher::of(state, caller).await?;
    let sent = Sent::new(&posted.fields);
    let Some(Ok(mut work)) = sent.get("work").map(serde_json::from_str::<Work>) else { return Ok(()) };
    if !pass::is_of(&work, &launcher) {
        return Ok(());
    }
    apply(&mut work, &sent);
    work.done = Some("What you had written is back. It was not launched.".to_owned());
    keep(state, &launcher, &mut work).await?;
    Ok(())
}
