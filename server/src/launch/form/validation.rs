//! Finds everything that prevents a launch.

use app::launch::LaunchMode;
use app::launch::draft::{LaunchDraft, validation};
use protocol::fields::SPEC_FIELDS;
use protocol::validate::FieldError;

use super::super::validation::answerer_errors;

pub fn errors(draft: &LaunchDraft) -> Vec<FieldError> {
    let mut errors = validation::errors(draft, SPEC_FIELDS);
    errors.extend(answerer_errors(&draft.spec, &draft.answers, &draft.mode));
    errors.extend(draft.last_action.reported_errors.iter().cloned());
    errors
}

/// Returns the errors of a batch, whose input is not in the draft.
pub fn batch_errors(draft: &LaunchDraft) -> Vec<FieldError> {
    let one_shot = LaunchDraft { mode: LaunchMode::OneShot, session: None, ..draft.clone() };
    let mut errors = errors(&one_shot);
    errors.retain(|error| error.path != "/prompt" && !error.path.starts_with("/messages"));
    errors
}
