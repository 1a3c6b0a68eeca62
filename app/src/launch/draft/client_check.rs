//! Checks the form while the user types, with the server's rules. Errors that only the server can find stay as it last
//! reported them.

use std::collections::BTreeMap;

use protocol::fields::FieldTable;

use super::apply::{SubmittedFields, apply};
use super::{LaunchDraft, error_placement, json_error, validation};
use crate::launch::ControlName;
use crate::model::launch::{Findings, PageControl, Problem};

/// Returns the errors of the form with its current values. `problems` are those that the server found last.
pub fn check(
    shown: &[PageControl],
    problems: &[Problem],
    draft: &LaunchDraft,
    values: &[(String, String)],
    fields: FieldTable,
) -> Findings {
    let sent = SubmittedFields::new(values);
    let mut now = draft.clone();
    apply(&mut now, &sent, fields);
    let mut found = validation::errors(&now, fields);
    found.extend(now.last_action.reported_errors.iter().cloned());
    found.retain(|error| validation::is_shown(&now, error));

    let (mut errors, mut controls) = (BTreeMap::new(), Vec::new());
    for PageControl { id, name, server_error } in shown {
        let name = name_after_blank_rows(&sent, name.clone());
        let error = name.as_ref().and_then(|name| error_placement::error_at(&now, fields, &found, name));
        errors.extend(error.or_else(|| server_error.clone()).map(|error| (id.clone(), error)));
        controls.extend(name.map(|name| (name, id.as_str())));
    }
    let is_of_server = |problem: &&Problem| {
        shown.iter().any(|control| control.server_error.is_some() && problem.href == format!("#{}", control.id))
    };
    let mut listed = error_placement::problems(&now, fields, &found, &controls);
    let missing = problems.iter().filter(is_of_server).filter(|problem| !listed.contains(problem));
    listed.extend(missing.cloned().collect::<Vec<_>>());
    let json_problem = now.unfinished.invalid_json().and_then(json_error::json_problem);
    Findings { errors, problems: listed, json_problem }
}

/// Blank rows of maps are dropped when a form is applied, so later rows move up. Returns `None` for a blank row.
fn name_after_blank_rows(sent: &SubmittedFields, name: ControlName) -> Option<ControlName> {
    let Some((index, part @ ("key" | "value"))) = name.in_row() else { return Some(name) };
    let is_empty = |row: usize, part: &str| {
        sent.get(&ControlName::row(&name.place, row, part)).is_none_or(|text| text.trim().is_empty())
    };
    let is_blank = |row: &usize| is_empty(*row, "key") && is_empty(*row, "value");
    let kept = (0..index).filter(|row| !is_blank(row)).count();
    (!is_blank(&index)).then(|| ControlName::row(&name.place, kept, part))
}
