//! The launch form: applies a submitted form to its draft, carries out its action, and saves the draft.
//!
//! ```text
//!  form ──apply──▶ LaunchDraft ──actions──▶ LaunchDraft ──pages::launch::build──▶ HTML ──▶ form
//!                                               └── saved
//! ```
//! The form carries its whole draft, so it works the same with JavaScript, which sends it in the background, and without,
//! where the next page is built from the saved draft.

mod action;
mod actions;
mod draft_store;
mod entry;
mod form_ownership;
mod larger_model;
pub mod peers;
mod session;
mod start;

use app::AppError;
use app::launch::ControlName;
use app::launch::draft::LaunchDraft;
use app::launch::draft::apply::{SubmittedFields, apply};
use protocol::fields::SPEC_FIELDS;

use super::Launcher;
use crate::error::Error;

pub use action::{Action, Verb};
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

/// A draft after its form was submitted.
pub struct Submitted {
    pub draft: LaunchDraft,
    pub outcome: Outcome,
    /// Without JavaScript, the next page shows the saved draft.
    pub is_saved: bool,
    /// Whether the draft was saved. Empty after an action that saved all of it.
    pub draft_status: String,
}

pub enum Outcome {
    /// Shows the form again. `focus` is the id of an element.
    Form { focus: Option<String> },
    /// Leads to another page.
    Done { href: String },
    /// The form belongs to another user.
    Foreign { message: String },
}

impl Outcome {
    fn focus(id: impl Into<String>) -> Self {
        Self::Form { focus: Some(id.into()) }
    }
}

pub async fn submit(launcher: &Launcher<'_>, form: &SubmittedForm) -> Result<Submitted, Error> {
    let Some(mut draft) = draft_of(&form.fields).and_then(|text| serde_json::from_str::<LaunchDraft>(text).ok()) else {
        return Err(AppError::invalid("draft", UNREADABLE).into());
    };
    if !form_ownership::is_owner(&draft, launcher) {
        let outcome = Outcome::Foreign { message: form_ownership::refusal(&draft, launcher) };
        return Ok(Submitted { draft, outcome, is_saved: false, draft_status: String::new() });
    }
    let fields = SubmittedFields::new(&form.fields);
    draft.last_action.success = None;
    form_ownership::assign(&mut draft, launcher);
    apply(&mut draft, &fields, SPEC_FIELDS);
    let action = Action::parse(fields.other("action").unwrap_or_default());
    let saves_quietly = action.verb != Verb::Update;
    let outcome = actions::act(launcher, &mut draft, action, form).await;
    // Saved also after a failed action: the user's text is not lost.
    let saved = draft_store::save(launcher, &mut draft).await;
    let is_saved = saved.is_ok();
    let draft_status = match saved {
        Ok(true) if saves_quietly => String::new(),
        Ok(true) => "Draft saved.".to_owned(),
        Ok(false) => "The draft is saved without its files: they are too large.".to_owned(),
        Err(AppError::CannotSave) => AppError::CannotSave.to_string(),
        Err(error) => format!("The draft is not saved. {}", error.advice()),
    };
    Ok(Submitted { draft, outcome: outcome?, is_saved, draft_status })
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
