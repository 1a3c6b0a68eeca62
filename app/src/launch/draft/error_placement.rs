//! Assigns errors to the controls that show them, and lists them with links to those controls.

use protocol::fields::FieldTable;
use protocol::json_pointer::{is_inside, join};
use protocol::validate::FieldError;

use super::LaunchDraft;
use super::rows::Table;
use crate::launch::control_name::dom_id;
use crate::launch::{ControlKind, ControlName};
use crate::model::launch::Problem;

/// Returns the error of a control.
pub fn error_at(draft: &LaunchDraft, fields: FieldTable, errors: &[FieldError], name: &ControlName) -> Option<String> {
    let place = place_of(draft, fields, name);
    match (name.kind, name.in_row()) {
        (ControlKind::Row, Some((index, "value"))) => {
            // An error in the name of a row is shown at the name.
            let has_own_name = !place.ends_with('/') && at(errors, &format!("{}#{index}", name.place)).is_none();
            inside(errors, &place).filter(|_| has_own_name)
        }
        (ControlKind::Field, _) => inside(errors, &place),
        (ControlKind::Answerer, _) if name.part == "by" => inside(errors, &place),
        _ => at(errors, &place),
    }
}

/// Returns the place of a control's errors: the pointer of its value, with the part after a `#` if several controls show
/// one value or none does.
fn place_of(draft: &LaunchDraft, fields: FieldTable, name: &ControlName) -> String {
    let ControlName { kind, place, part } = name;
    let has_own_control = || fields.format(&draft.spec, place).is_some();
    match (kind, part.as_str()) {
        (ControlKind::Row, _) => match name.in_row() {
            Some((index, "value")) => {
                let rows = Table::at(fields, &draft.spec, place).map(|table| table.rows(draft, place));
                let name = rows.and_then(|rows| rows.into_iter().nth(index)).map(|row| row.name).unwrap_or_default();
                join(place, &name)
            }
            Some((index, "key" | "name")) => format!("{place}#{index}"),
            _ => format!("{place}#{part}"),
        },
        (ControlKind::Answerer, "by") => format!("/answers/{place}"),
        (ControlKind::Answerer, _) => format!("/answers/{place}#{part}"),
        (ControlKind::Source | ControlKind::Checkbox, _) => format!("{place}#{part}"),
        (ControlKind::FileUrl, _) => format!("{place}#url"),
        // An error of a value with a control of its own is shown there.
        (ControlKind::Choice | ControlKind::File, _) if has_own_control() => format!("{place}#other"),
        (ControlKind::Other, _) if place == "input" => "/messages".to_owned(),
        (ControlKind::Other, _) => format!("/{}", place.replace('.', "/")),
        _ => place.clone(),
    }
}

pub fn at(errors: &[FieldError], place: &str) -> Option<String> {
    errors.iter().find(|error| error.path == place).map(|error| error.message.clone())
}

/// Returns the first error at a pointer or inside it.
pub fn inside(errors: &[FieldError], place: &str) -> Option<String> {
    errors.iter().find(|error| is_inside(&error.path, place)).map(|error| error.message.clone())
}

/// Links every error to its control, or to the nearest element around it. `controls` are those of the form, with the ids of
/// their elements.
pub fn problems(
    draft: &LaunchDraft,
    fields: FieldTable,
    errors: &[FieldError],
    controls: &[(ControlName, &str)],
) -> Vec<Problem> {
    let groups = ["/tools", "/messages"].into_iter().flat_map(|list| {
        let count = draft.spec.pointer(list).and_then(|items| items.as_array()).map_or(0, Vec::len);
        (0..count).map(move |i| format!("{list}/{i}"))
    });
    let session_tools = ("/session/tools".to_owned(), "session-tools".to_owned());
    let groups = groups.map(|place| (place.clone(), dom_id(&place))).chain([session_tools]);
    let controls = controls.iter().map(|(name, id)| (place_of(draft, fields, name), (*id).to_owned()));
    let places: Vec<(String, String)> = groups.chain(controls).collect();
    let link = |error: &FieldError| {
        let value = error.path.split('#').next().unwrap_or_default();
        let around = places.iter().filter(|(place, _)| *place == error.path || is_inside(value, place));
        let nearest = around.max_by_key(|(place, _)| place.len());
        nearest.map_or_else(|| "#json".to_owned(), |(_, id)| format!("#{id}"))
    };
    let problem = |error: &FieldError| Problem {
        href: link(error),
        place: fields.describe(&draft.spec, &error.path),
        message: error.message.clone(),
    };
    errors.iter().map(problem).collect()
}
