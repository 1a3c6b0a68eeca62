//! Assigns errors to the controls that show them, and lists them with links to those controls.

use protocol::fields::{Control, FieldTable, Format};
use protocol::json_pointer::join;
use protocol::validate::FieldError;
use serde_json::Value;

use super::LaunchDraft;
use super::rows::Table;
use crate::launch::ControlName;
use crate::model::launch::Problem;

/// A control shows the errors of its field, or those inside its field too.
#[derive(Clone, Copy)]
enum Scope {
    At,
    Inside,
}

/// Returns the error of a control that shows a part of the spec.
pub fn error_at(draft: &LaunchDraft, fields: FieldTable, errors: &[FieldError], name: &ControlName) -> Option<String> {
    let (place, scope) = place_of(draft, fields, name)?;
    if let ControlName::Row { pointer, index, part } = name
        && part == "value"
        && (place.ends_with('/') || at(errors, &format!("{pointer}#{index}")).is_some())
    {
        // An error in the name of a row is shown at the name.
        return None;
    }
    match scope {
        Scope::At => at(errors, &place),
        Scope::Inside => inside(errors, &place),
    }
}

/// Returns the pointer of a control that shows a part of the spec.
pub fn pointer_of(draft: &LaunchDraft, fields: FieldTable, name: &ControlName) -> Option<String> {
    place_of(draft, fields, name).map(|(place, _)| place)
}

fn place_of(draft: &LaunchDraft, fields: FieldTable, name: &ControlName) -> Option<(String, Scope)> {
    Some(match name {
        ControlName::Field(pointer) => {
            let format = fields.single(&draft.spec, pointer).and_then(|field| field.control.format());
            let whole = matches!(format, Some(Format::Json | Format::Lines));
            (pointer.clone(), if whole { Scope::Inside } else { Scope::At })
        }
        // An error of a value with a control of its own is shown there.
        ControlName::Choice(pointer) if fields.single(&draft.spec, pointer).is_some() => {
            (format!("{pointer}#choice"), Scope::At)
        }
        ControlName::Choice(pointer) => (pointer.clone(), Scope::At),
        ControlName::Row { pointer, index, part } if part == "key" || part == "name" => {
            (format!("{pointer}#{index}"), Scope::At)
        }
        ControlName::Row { pointer, index, part } if part == "value" => {
            let field = fields.find(&draft.spec, pointer, |field| matches!(field.control, Control::Map(_)))?;
            let row = Table::of(field.control)?.rows(draft, pointer).into_iter().nth(*index);
            (join(pointer, &row.unwrap_or_default().name), Scope::Inside)
        }
        ControlName::Row { pointer, index, part } => (format!("{pointer}#{index}.{part}"), Scope::At),
        ControlName::Other("input") => ("/messages".to_owned(), Scope::At),
        ControlName::Other("session") => ("/session".to_owned(), Scope::At),
        _ => return None,
    })
}

pub fn at(errors: &[FieldError], place: &str) -> Option<String> {
    errors.iter().find(|error| error.path == place).map(|error| error.message.clone())
}

/// Returns the first error at a pointer or inside it.
pub fn inside(errors: &[FieldError], place: &str) -> Option<String> {
    let inside = |error: &&FieldError| {
        error.path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    errors.iter().find(inside).map(|error| error.message.clone())
}

/// Links every error to its control, or to the nearest element around it. `anchors` are pointers with the ids of elements.
pub fn problems(fields: FieldTable, spec: &Value, errors: &[FieldError], anchors: &[(String, String)]) -> Vec<Problem> {
    let link = |error: &FieldError| {
        let around = |place: &str| {
            error.path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
        };
        let nearest = anchors.iter().filter(|(place, _)| around(place)).max_by_key(|(place, _)| place.len());
        nearest.map_or_else(|| "#json".to_owned(), |(_, id)| format!("#{id}"))
    };
    let problem = |error: &FieldError| Problem {
        href: link(error),
        place: fields.describe_in(spec, &error.path),
        message: error.message.clone(),
    };
    errors.iter().map(problem).collect()
}
