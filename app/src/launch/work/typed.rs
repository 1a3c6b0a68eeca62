//! What somebody types, checked as the server will check it when the form is sent. What only the server knows stays as it
//! said it last.

use super::apply::{Sent, apply};
use super::{Work, faults, json_problem, told};
use crate::launch::sheet::{LaunchPage, Since};

/// What is to be told of a page that was drawn from the work, given what its form holds now.
pub fn check(page: &LaunchPage, work: &Work, fields: &[(String, String)]) -> Since {
    let sent = Sent::new(fields);
    let mut now = work.clone();
    apply(&mut now, &sent);
    let mut found = faults::of(&now);
    found.extend(now.refused.iter().cloned());
    found.retain(|fault| faults::is_told(&now, fault));

    let tools = now.spec["tools"].as_array().map_or(0, Vec::len);
    let mut anchors: Vec<(String, String)> =
        (0..tools).map(|i| format!("/tools/{i}")).map(|place| (place.clone(), told::dom_id(&place))).collect();
    let (mut errors, mut asked_of_server) = (Vec::new(), Vec::new());
    page.each_field(&mut |field| {
        if !told::shows_spec(&now, &field.name) {
            return asked_of_server.push(format!("#{}", field.id));
        }
        let name = name_after_blank_rows(&sent, &field.name);
        let error = name.as_ref().and_then(|name| told::error_at(&now, &found, name));
        if error != field.error {
            errors.push((field.id.clone(), error));
        }
        let place = name.and_then(|name| told::pointer_of(&now, &name));
        anchors.extend(place.map(|place| (place, field.id.clone())));
    });
    let mut problems = told::problems(&found, &anchors);
    problems.extend(page.problems.iter().filter(|problem| asked_of_server.contains(&problem.href)).cloned());
    let json_problem = now.json.as_deref().and_then(json_problem::json_problem);
    Since {
        errors,
        problems: (problems != page.problems).then_some(problems),
        json_problem: (json_problem != page.json_problem).then_some(json_problem),
    }
}

/// Blank rows of a map are left out when rows are taken up, so those after them move up. `None` for a blank row.
fn name_after_blank_rows(sent: &Sent, name: &str) -> Option<String> {
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
