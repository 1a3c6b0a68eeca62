//! Checks the form while the user types, with the server's rules. Errors that only the server can find stay as it last
//! reported them.

use super::apply::{SubmittedFields, apply};
use super::{LaunchDraft, error_placement, json_problem, validation};
use crate::model::launch::{ClientFindings, LaunchPageModel};

/// Returns the errors that differ from the page model, given the current values of the form.
pub fn check(page: &LaunchPageModel, draft: &LaunchDraft, fields: &[(String, String)]) -> ClientFindings {
    let sent = SubmittedFields::new(fields);
    let mut now = draft.clone();
    apply(&mut now, &sent);
    let mut found = validation::errors(&now);
    found.extend(now.reported_errors.iter().cloned());
    found.retain(|error| validation::is_shown(&now, error));

    let tools = now.spec["tools"].as_array().map_or(0, Vec::len);
    let mut anchors: Vec<(String, String)> = (0..tools)
        .map(|i| format!("/tools/{i}"))
        .map(|place| (place.clone(), error_placement::dom_id(&place)))
        .collect();
    let (mut errors, mut checked_by_server) = (Vec::new(), Vec::new());
    page.each_field(&mut |field| {
        if !error_placement::shows_spec(&now, &field.name) {
            return checked_by_server.push(format!("#{}", field.id));
        }
        let name = name_after_blank_rows(&sent, &field.name);
        let error = name.as_ref().and_then(|name| error_placement::error_at(&now, &found, name));
        if error != field.error {
            errors.push((field.id.clone(), error));
        }
        let place = name.and_then(|name| error_placement::pointer_of(&now, &name));
        anchors.extend(place.map(|place| (place, field.id.clone())));
    });
    let mut problems = error_placement::problems(&found, &anchors);
    problems.extend(page.problems.iter().filter(|problem| checked_by_server.contains(&problem.href)).cloned());
    let json_problem = now.invalid_json.as_deref().and_then(json_problem::json_problem);
    ClientFindings {
        errors,
        problems: (problems != page.problems).then_some(problems),
        json_problem: (json_problem != page.json_problem).then_some(json_problem),
    }
}

/// Blank rows are dropped when a form is applied, so later rows move up. Returns `None` for a blank row.
fn name_after_blank_rows(sent: &SubmittedFields, name: &str) -> Option<String> {
    let (Some(letter @ ("k" | "v")), Some((place, row))) = (name.get(..1), name.split_once('#')) else {
        return Some(name.to_owned());
    };
    let place = &place[1..];
    let is_blank = |i: usize| {
        let empty = |name: String| sent.get(&name).is_none_or(|text| text.trim().is_empty());
        empty(format!("k{place}#{i}")) && empty(format!("v{place}#{i}"))
    };
    let row: usize = row.parse().ok()?;
    if is_blank(row) {
        return None;
    }
    let at = (0..row).filter(|i| !is_blank(*i)).count();
    Some(format!("{letter}{place}#{at}"))
}
