//! The launch form: applies a submitted form to its draft, carries out its action, and saves the draft.
//!
//! ```text
//!  form ──apply──▶ LaunchDraft ──actions──▶ LaunchDraft ──pages::launch::build──▶ page model ──▶ form
//!                                               └── saved
//! ```
//! The form carries its whole draft, so it works the same with JavaScript, which sends it in the background, and without,
//! where the next page is built from the saved draft.

mod actions;
mod draft_store;
mod entry;
mod form_ownership;
mod larger_model;
pub mod peers;
mod session;
pub mod validation;

use app::AppError;
use app::launch::draft::LaunchDraft;
use app::launch::draft::apply::{SubmittedFields, apply};

use super::Launcher;
use crate::error::Error;
use crate::state::AppState;
use actions::Outcome;
use draft_store::SavedDraft;

pub use draft_store::{MAX_DRAFT_BYTES, restore};
pub use entry::start_draft;
pub use form_ownership::is_ours;

/// The fields and files of a submitted form.
#[derive(Clone, Debug, Default)]
pub struct SubmittedForm {
    pub fields: Vec<(String, String)>,
    pub uploads: Vec<UploadedFile>,
}

#[derive(Clone, Debug)]
pub struct UploadedFile {
    /// The name of the control.
    pub name: String,
    pub file_name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The result of a submitted form.
pub enum Submitted {
    /// Shows the form again.
    Form {
        draft: Box<LaunchDraft>,
        focus: Option<String>,
        /// Whether the draft was saved. Empty after an action that saved all of it.
        draft_status: String,
    },
    /// Leads to another page.
    Done { href: String },
    /// The form belongs to another user.
    Foreign { message: String },
}

pub async fn submit(state: &AppState, launcher: &Launcher, form: &SubmittedForm) -> Result<Submitted, Error> {
    let Some(mut draft) = draft_of(&form.fields).and_then(|text| serde_json::from_str::<LaunchDraft>(text).ok()) else {
        return Err(AppError::Invalid { field: "draft".to_owned(), message: UNREADABLE.to_owned() }.into());
    };
    if !form_ownership::is_owner(&draft, launcher) {
        return Ok(Submitted::Foreign { message: form_ownership::refusal(&draft, launcher) });
    }
    let fields = SubmittedFields::new(&form.fields);
    draft.success = None;
    form_ownership::assign(&state.vault, &mut draft, launcher);
    apply(&mut draft, &fields);
    let action = fields.get("do").unwrap_or_default();
    let outcome = act(state, launcher, &mut draft, action, form).await;
    // Saved also after a failed action: the user's text is not lost.
    let draft_status = match draft_store::save(state, launcher, &mut draft).await {
        Ok(SavedDraft::Complete) if !action.is_empty() => String::new(),
        Ok(SavedDraft::Complete) => "Draft kept.".to_owned(),
        Ok(SavedDraft::WithoutFiles) => "The draft is kept without its files: they are too large.".to_owned(),
        Err(error) => format!("The draft is not kept. {}", error.advice()),
    };
    Ok(match outcome? {
        Outcome::Done { href } => Submitted::Done { href },
        Outcome::Form { focus } => Submitted::Form { draft: Box::new(draft), focus, draft_status },
    })
}

const UNREADABLE: &str = "The form came in pieces. Open the page again: your draft is kept.";

/// Returns the draft that a form carries. Before the field was renamed it was called `work`; forms that wait for a sign-in
/// may still have it.
pub fn draft_of(fields: &[(String, String)]) -> Option<&str> {
    let named = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, text)| text.as_str());
    named("draft").or_else(|| named("work"))
}

/// A draft without a key can't be launched.
fn with_new_key(draft: LaunchDraft) -> LaunchDraft {
    LaunchDraft { key: crate::random::token(), ..draft }
}

async fn act(
    state: &AppState,
    launcher: &Launcher,
    draft: &mut LaunchDraft,
    action: &str,
    form: &SubmittedForm,
) -> Result<Outcome, Error> {
    session::load(state, launcher, draft).await?;
    actions::act(state, launcher, draft, action, form).await
}
