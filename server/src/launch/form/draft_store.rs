//! Saves and loads drafts, sealed, one per user and workspace, with the draft that it replaced.

use app::AppError;
use app::launch::draft::apply::{SubmittedFields, apply};
use app::launch::draft::{LaunchDraft, files};
use protocol::fields::SPEC_FIELDS;
use serde_json::json;

use super::super::{Launcher, validation};
use super::{SubmittedForm, draft_of, form_ownership};
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;

/// Room for a spec with 5 MB of files as base64, and the rest of the draft.
pub const MAX_DRAFT_BYTES: usize = 10 * 1024 * 1024;
const PURPOSE: &str = crate::vault::purpose::DRAFT;
/// Attempts to save a draft that other requests change at the same time.
const MAX_ATTEMPTS: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Current,
    /// What the current one replaced.
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

/// Saves the draft. The previous slot gets what it replaces: the current draft before a new one, or the version that
/// another page, such as one in another tab, has saved since this page was opened. A draft that is too large is saved
/// without its files, since text is harder to restore than files. Returns whether all of it is saved.
pub async fn save(launcher: &Launcher<'_>, draft: &mut LaunchDraft) -> Result<bool, AppError> {
    let is_new = std::mem::take(&mut draft.ownership.is_new);
    if is_new {
        draft.ownership.saved_draft = None;
    }
    let own = fingerprint(draft);
    let based_on = std::mem::replace(&mut draft.ownership.based_on, own.clone());
    for _ in 0..MAX_ATTEMPTS {
        let (current, read_at_ms) = read(launcher, Slot::Current).await?.unzip();
        let differs = |found: &str| found != own && (is_new || found != based_on);
        let replaced = current.flatten().filter(|current| replaces(draft, current, is_new, differs));
        let (text, is_complete) = stored_text(draft)?;
        let kept = replaced.map(|replaced| serde_json::to_string(&replaced).unwrap_or_default());
        if write(launcher, &text, kept.as_deref(), read_at_ms).await? {
            return Ok(is_complete);
        }
    }
    Err(AppError::conflict("Other tabs change this draft at the same time."))
}

pub async fn load(launcher: &Launcher<'_>, slot: Slot) -> Result<Option<LaunchDraft>, Error> {
    Ok(read(launcher, slot).await?.and_then(|(draft, _)| draft))
}

/// Returns what two versions of a draft are compared by: what a user typed or chose.
pub fn fingerprint(draft: &LaunchDraft) -> String {
    let LaunchDraft { spec, answers, mode, unfinished, .. } = draft;
    validation::hash(&json!([spec, answers, mode, unfinished.texts, unfinished.rows]))
}

/// Returns the stored draft, if it can be read, and when it was changed.
async fn read(launcher: &Launcher<'_>, slot: Slot) -> Result<Option<(Option<LaunchDraft>, i64)>, Error> {
    let state = launcher.state;
    let stored = state.store.draft(launcher.workspace(), &slot.key(launcher)).await?;
    Ok(stored.map(|(sealed, changed_at_ms)| (state.vault.open_json(PURPOSE, &sealed).ok(), changed_at_ms)))
}

/// Returns whether the current draft is kept when this one replaces it, and notes that in this one.
fn replaces(draft: &mut LaunchDraft, current: &LaunchDraft, is_new: bool, differs: impl FnOnce(&str) -> bool) -> bool {
    let ownership = &mut draft.ownership;
    if current.ownership.page == ownership.page {
        // The page may not have shown the response to its last request.
        if current.key == draft.key {
            ownership.has_previous_draft |= current.ownership.has_previous_draft;
            ownership.changed_elsewhere |= current.ownership.changed_elsewhere;
        }
        return false;
    }
    let is_kept = current.has_content() && differs(&fingerprint(current));
    if is_new || is_kept {
        ownership.has_previous_draft = is_kept;
        ownership.changed_elsewhere = is_kept && !is_new;
    }
    is_kept
}

/// Returns the text to store, and whether it has all of the draft.
fn stored_text(draft: &LaunchDraft) -> Result<(String, bool), AppError> {
    let text = serde_json::to_string(draft).unwrap_or_default();
    if text.len() <= MAX_DRAFT_BYTES {
        return Ok((text, true));
    }
    let mut smaller = LaunchDraft { spec: files::without_files(&draft.spec), ..draft.clone() };
    smaller.unfinished.set_aside.clear();
    let text = serde_json::to_string(&smaller).unwrap_or_default();
    if text.len() > MAX_DRAFT_BYTES {
        return Err(AppError::invalid("text", "A draft may have at most 10 MB, so this one is not saved."));
    }
    Ok((text, false))
}

/// Returns false if another request has changed the current draft since it was read.
async fn write(
    launcher: &Launcher<'_>,
    text: &str,
    previous: Option<&str>,
    read_at_ms: Option<i64>,
) -> Result<bool, Error> {
    let state = launcher.state;
    let seal = |text: &str| state.vault.seal(PURPOSE, text.as_bytes());
    let [current_key, previous_key] = [Slot::Current, Slot::Previous].map(|slot| slot.key(launcher));
    let (sealed, previous) = (seal(text), previous.map(seal));
    let kept = previous.as_deref().map(|sealed| (previous_key.as_str(), sealed));
    let draft = (current_key.as_str(), sealed.as_slice());
    Ok(state.store.save_draft(launcher.workspace(), draft, kept, read_at_ms, now_ms()).await?)
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
