//! Saves and loads drafts, sealed, one per user and workspace, with the draft that it replaced.

use app::AppError;
use app::launch::draft::apply::{SubmittedFields, apply};
use app::launch::draft::{LaunchDraft, files};
use protocol::fields::SPEC_FIELDS;

use super::super::Launcher;
use super::{SubmittedForm, draft_of, form_ownership};
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;

/// Room for a spec with 5 MB of files as base64, and the rest of the draft.
pub const MAX_DRAFT_BYTES: usize = 10 * 1024 * 1024;
const PURPOSE: &str = crate::vault::purpose::DRAFT;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Current,
    /// The draft that the current one replaced.
    Previous,
}

impl Slot {
    /// The store has one row per key. No subject contains a line break, so the previous draft's key is free.
    fn key(self, launcher: &Launcher<'_>) -> String {
        match self {
            Self::Current => launcher.subject.clone(),
            Self::Previous => format!("{}\n(earlier)", launcher.subject),
        }
    }
}

/// Saves the draft. A new draft moves the current one to the previous slot first. A draft that is too large is saved
/// without its files, since text is harder to restore than files. Returns whether all of it is saved.
pub async fn save(launcher: &Launcher<'_>, draft: &mut LaunchDraft) -> Result<bool, AppError> {
    if std::mem::take(&mut draft.ownership.is_new) {
        draft.ownership.has_previous_draft = move_to_previous(launcher, draft).await?;
        draft.ownership.saved_draft = None;
    }
    let text = serde_json::to_string(draft).unwrap_or_default();
    if text.len() <= MAX_DRAFT_BYTES {
        write(launcher, Slot::Current, &text).await?;
        return Ok(true);
    }
    let mut smaller = LaunchDraft { spec: files::without_files(&draft.spec), ..draft.clone() };
    smaller.unfinished.set_aside.clear();
    let text = serde_json::to_string(&smaller).unwrap_or_default();
    write(launcher, Slot::Current, &text).await?;
    Ok(false)
}

pub async fn load(launcher: &Launcher<'_>, slot: Slot) -> Result<Option<LaunchDraft>, Error> {
    let state = launcher.state;
    let stored = state.store.draft(launcher.workspace(), &slot.key(launcher)).await?;
    Ok(stored.and_then(|(sealed, _)| state.vault.open_json(PURPOSE, &sealed).ok()))
}

async fn write(launcher: &Launcher<'_>, slot: Slot, text: &str) -> Result<(), Error> {
    let state = launcher.state;
    if text.len() > MAX_DRAFT_BYTES {
        return Err(AppError::invalid("text", "A draft may have at most 10 MB, so this one is not saved.").into());
    }
    let sealed = state.vault.seal(PURPOSE, text.as_bytes());
    Ok(state.store.save_draft(launcher.workspace(), &slot.key(launcher), &sealed, now_ms()).await?)
}

/// Returns whether there was a draft worth keeping.
async fn move_to_previous(launcher: &Launcher<'_>, draft: &LaunchDraft) -> Result<bool, Error> {
    let Some(current) = load(launcher, Slot::Current).await? else { return Ok(false) };
    if current.key == draft.key || !current.has_content() {
        return Ok(false);
    }
    let text = serde_json::to_string(&current).unwrap_or_default();
    write(launcher, Slot::Previous, &text).await?;
    Ok(true)
}

/// Saves a form that was sent after a sign-out, if the user who signed in wrote it. Its action is not carried out.
pub async fn restore(state: &AppState, caller: &Caller, form: &SubmittedForm) -> Result<(), Error> {
    let launcher = Launcher::of(state, caller).await?;
    let draft = draft_of(&form.fields).and_then(|text| serde_json::from_str::<LaunchDraft>(text).ok());
    let Some(mut draft) = draft.filter(|draft| form_ownership::is_owner(draft, &launcher)) else { return Ok(()) };
    apply(&mut draft, &SubmittedFields::new(&form.fields), SPEC_FIELDS);
    draft.last_action.success = Some("Your form is restored. It was not launched.".to_owned());
    save(&launcher, &mut draft).await?;
    Ok(())
}
