//! Everything that keeps the work from being launched, at its field.

use app::launch::work::faults as writing;
use app::launch::{LaunchMode, LaunchRequest};
use protocol::validate::FieldError;

use super::super::check;
use super::work::Work;

pub use writing::fault;

pub fn of(work: &Work) -> Vec<FieldError> {
    let mut faults = writing::of(work);
    let request = LaunchRequest {
        key: work.key.clone(),
        mode: work.mode.clone(),
        spec: work.spec.clone(),
        answers: work.answers.clone(),
    };
    faults.extend(check::answers(&request));
    faults.extend(work.refused.iter().cloned());
    faults
}

/// The same for many launches with one spec, whose input comes from elsewhere.
pub fn of_batch(work: &Work) -> Vec<FieldError> {
    let one = Work { mode: LaunchMode::OneShot, session: None, ..work.clone() };
    let mut faults = of(&one);
    faults.retain(|fault| fault.path != "/prompt" && !fault.path.starts_with("/messages"));
    faults
}
