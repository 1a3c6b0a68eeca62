//! Checks the form while the user types, with the server's rules. Errors that only the server can find stay as it last
//! reported them.

use protocol::fields::FieldTable;

use super::apply::{SubmittedFields, apply};
use super::{LaunchDraft, error_placement, json_error, validation};
use crate::launch::ControlName;
use crate::launch::control_name::dom_id;
use crate::model::launch::{ClientFindings, LaunchPageModel};

/// Returns the errors that differ from the page model, given the current values of the form.
pub fn check(
    page: &LaunchPageModel,
    draft: &LaunchDraft,
    values: &[(String, String)],
    fields: FieldTable,
) -> ClientFindings {
    let sent = SubmittedFields::new(values);
    let mut now = draft.clone();
    apply(&mut now, &sent, fields);
    let mut found = validation::errors(&now, fields);
    found.extend(now.last_action.reported_errors.iter().cloned());
    found.retain(|error| validation::is_shown(&now, error));

    let tools = now.spec["tools"].as_array().map_or(0, Vec::len);
    let mut anchors: Vec<(String, String)> =
        (0..tools).map(|i| format!("/tools/{i}")).map(|place| (place.clone(), dom_id(&place))).collect();
    let (mut errors, mut checked_by_server) = (Vec::new(), Vec::new());
    page.each_field(&mut |field| {
        let name = ControlName::parse(&field.name);
        let Some(name) = name.filter(|name| error_placement::pointer_of(&now, fields, name).is_some()) else {
            return checked_by_server.push(format!("#{}", field.id));
        };
        let name = name_after_blank_rows(&sent, name);
        let error = name.as_ref().and_then(|name| error_placement::error_at(&now, fields, &found, name));
        if error != field.error {
            errors.push((field.id.clone(), error));
        }
        let place = name.and_then(|name| error_placement::pointer_of(&now, fields, &name));
        anchors.extend(place.map(|place| (place, field.id.clone())));
    });
    let mut problems = error_placement::problems(fields, &now.spec, &found, &anchors);
    problems.extend(page.problems.iter().filter(|problem| checked_by_server.contains(&problem.href)).cloned());
    let json_problem = now.unfinished.json.as_deref().and_then(json_error::json_problem);
    ClientFindings {
        errors,
        problems: (problems != page.problems).then_some(problems),
        json_problem: (json_problem != page.json_problem).then_some(json_problem),
    }
}

/// Blank rows of maps are dropped when a form is applied, so later rows move up. Returns `None` for a blank row.
fn name_after_blank_rows(sent: &SubmittedFields, name: ControlName) -> Option<ControlName> {
    let ControlName::Row { pointer, index, part } = name else { return Some(name) };
    if part != "key" && part != "value" {
        return Some(ControlName::Row { pointer, index, part });
    }
    let is_empty =
        |i: usize, part: &str| sent.get(&ControlName::row(&pointer, i, part)).is_none_or(|text| text.trim().is_empty());
    let is_blank = |i: &usize| is_empty(*i, "key") && is_empty(*i, "value");
    if is_blank(&index) {
        return None;
    }
    let index = (0..index).filter(|i| !is_blank(i)).count();
    Some(ControlName::Row { pointer, index, part })
}
