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
mod start;

use app::AppError;
use app::launch::draft::LaunchDraft;
use app::launch::draft::apply::{SubmittedFields, apply};
use app::launch::{Action, ControlName, Verb};
use protocol::fields::SPEC_FIELDS;

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

impl SubmittedForm {
    /// Returns a chosen file. Browsers send an empty one if none was chosen.
    pub fn upload(&self, name: &ControlName) -> Option<&UploadedFile> {
        let name = name.to_string();
        self.uploads.iter().find(|upload| upload.name == name && !upload.bytes.is_empty())
    }
}

/// The result of a submitted form.
pub enum Submitted {
    /// Shows the form again.
    Form {
        draft: Box<LaunchDraft>,
        focus: Option<String>,
        /// Without JavaScript, the next page shows the saved draft.
        is_saved: bool,
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
    draft.last_action.success = None;
    form_ownership::assign(&state.vault, &mut draft, launcher);
    apply(&mut draft, &fields, SPEC_FIELDS);
    let action = Action::parse(fields.other("action").unwrap_or_default());
    let saves_quietly = action.verb != Verb::Update;
    let outcome = actions::act(state, launcher, &mut draft, action, form).await;
    // Saved also after a failed action: the user's text is not lost.
    let saved = draft_store::save(state, launcher, &mut draft).await;
    let is_saved = saved.is_ok();
    let draft_status = match saved {
        Ok(SavedDraft::Complete) if saves_quietly => String::new(),
        Ok(SavedDraft::Complete) => {
            let batch = start::describe_batch_file(&draft, form).map(|batch| format!(" {batch}"));
            format!("Draft saved.{}", batch.unwrap_or_default())
        }
        Ok(SavedDraft::WithoutFiles) => "The draft is saved without its files: they are too large.".to_owned(),
        Err(AppError::CannotSave) => AppError::CannotSave.to_string(),
        Err(error) => format!("The draft is not saved. {}", error.advice()),
    };
    Ok(match outcome? {
        Outcome::Done { href } => Submitted::Done { href },
        Outcome::Form { focus } => Submitted::Form { draft: Box::new(draft), focus, is_saved, draft_status },
    })
}

const UNREADABLE: &str = "The form is incomplete. Open the page again: your draft is saved.";

/// Returns the draft that a form carries.
pub fn draft_of(fields: &[(String, String)]) -> Option<&str> {
    fields.iter().find(|(name, _)| name == "draft").map(|(_, text)| text.as_str())
}

/// A draft without a key can't be launched.
fn with_new_key(draft: LaunchDraft) -> LaunchDraft {
    LaunchDraft { key: crate::random::token(), ..draft }
}
