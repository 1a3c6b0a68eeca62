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

pub enum SavedDraft {
    Complete,
    WithoutFiles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Current,
    /// The draft that the current one replaced.
    Previous,
}

impl Slot {
    /// The store has one row per key. No subject contains a line break, so the previous draft's key is free.
    fn key(self, launcher: &Launcher) -> String {
        match self {
            Self::Current => launcher.subject.clone(),
            Self::Previous => format!("{}\n(earlier)", launcher.subject),
        }
    }
}

/// Saves the draft. A new draft moves the current one to the previous slot first. A draft that is too large is saved
/// without its files, since text is harder to restore than files.
pub async fn save(state: &AppState, launcher: &Launcher, draft: &mut LaunchDraft) -> Result<SavedDraft, AppError> {
    if std::mem::take(&mut draft.ownership.is_new) {
        draft.ownership.has_previous_draft = move_to_previous(state, launcher, draft).await?;
        draft.ownership.has_saved_draft = false;
        draft.ownership.saved_prompt.clear();
    }
    let text = serde_json::to_string(draft).unwrap_or_default();
    if text.len() <= MAX_DRAFT_BYTES {
        write(state, launcher, Slot::Current, &text).await?;
        return Ok(SavedDraft::Complete);
    }
    let mut smaller = LaunchDraft { spec: files::without_files(&draft.spec), ..draft.clone() };
    smaller.unfinished.set_aside.clear();
    let text = serde_json::to_string(&smaller).unwrap_or_default();
    write(state, launcher, Slot::Current, &text).await?;
    Ok(SavedDraft::WithoutFiles)
}

pub async fn load(state: &AppState, launcher: &Launcher, slot: Slot) -> Result<Option<LaunchDraft>, Error> {
    let stored = state.store.draft(launcher.caller.workspace_id, &slot.key(launcher)).await?;
    Ok(stored.and_then(|(sealed, _)| serde_json::from_slice(&state.vault.open_sealed(PURPOSE, &sealed).ok()?).ok()))
}

async fn write(state: &AppState, launcher: &Launcher, slot: Slot, text: &str) -> Result<(), Error> {
    if text.len() > MAX_DRAFT_BYTES {
        let message = "A draft may have at most 10 MB, so this one is not saved.".to_owned();
        return Err(AppError::Invalid { field: "text".to_owned(), message }.into());
    }
    let sealed = state.vault.seal(PURPOSE, text.as_bytes());
    Ok(state.store.save_draft(launcher.caller.workspace_id, &slot.key(launcher), &sealed, now_ms()).await?)
}

/// Returns whether there was a draft worth keeping.
async fn move_to_previous(state: &AppState, launcher: &Launcher, draft: &LaunchDraft) -> Result<bool, Error> {
    let Some(current) = load(state, launcher, Slot::Current).await? else { return Ok(false) };
    if current.key == draft.key || current.spec == LaunchDraft::new().spec {
        return Ok(false);
    }
    let text = serde_json::to_string(&current).unwrap_or_default();
    write(state, launcher, Slot::Previous, &text).await?;
    Ok(true)
}

/// Saves a form that was sent after a sign-out, if the user who signed in wrote it. Its action is not carried out.
pub async fn restore(state: &AppState, caller: &Caller, form: &SubmittedForm) -> Result<(), Error> {
    let launcher = Launcher::of(state, caller).await?;
    let draft = draft_of(&form.fields).and_then(|text| serde_json::from_str::<LaunchDraft>(text).ok());
    let Some(mut draft) = draft.filter(|draft| form_ownership::is_owner(draft, &launcher)) else { return Ok(()) };
    apply(&mut draft, &SubmittedFields::new(&form.fields), SPEC_FIELDS);
    draft.last_action.success = Some("Your form is restored. It was not launched.".to_owned());
    save(state, &launcher, &mut draft).await?;
    Ok(())
}
