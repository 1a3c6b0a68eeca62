//! Assigns errors to the controls that show them, and lists them with links to those controls.

use protocol::validate::FieldError;

use super::{LaunchDraft, rows, settings};
use crate::model::launch::Problem;
use protocol::json_pointer::escape;

/// The errors that a control shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Those of its field.
    At,
    /// Those inside its field too.
    Inside,
}

/// Returns the error of a control that shows a part of the spec.
pub fn error_at(draft: &LaunchDraft, errors: &[FieldError], name: &str) -> Option<String> {
    let (place, scope) = pointer_and_scope(draft, name)?;
    let is_row_value = name.starts_with("v/");
    if is_row_value && place.ends_with('/') {
        return None;
    }
    // An error in the name of a row is shown at the name.
    if is_row_value && at(errors, &name[1..]).is_some() {
        return None;
    }
    match scope {
        Scope::At => at(errors, &place),
        Scope::Inside => inside(errors, &place),
    }
}

/// Returns whether a control shows a part of the spec, so that [`error_at`] returns its error.
pub fn shows_spec(draft: &LaunchDraft, name: &str) -> bool {
    pointer_and_scope(draft, name).is_some()
}

/// Returns the pointer of a control's field.
pub fn pointer_of(draft: &LaunchDraft, name: &str) -> Option<String> {
    pointer_and_scope(draft, name).map(|(place, _)| place)
}

fn pointer_and_scope(draft: &LaunchDraft, name: &str) -> Option<(String, Scope)> {
    let mut letters = name.chars();
    let (letter, place) = (letters.next()?, letters.as_str());
    if letter == 'x' {
        let setting = settings::ALL.iter().find(|setting| setting.name == name).map(|setting| setting.pointer);
        let pointer = setting.or(match name {
            "x:input" => Some("/messages"),
            "x:session" => Some("/session"),
            _ => None,
        });
        return pointer.map(|pointer| (pointer.to_owned(), Scope::At));
    }
    if !place.starts_with('/') {
        return None;
    }
    match letter {
        't' | 'n' | 'b' | 'k' | 'p' => Some((place.to_owned(), Scope::At)),
        'j' | 'l' => Some((place.to_owned(), Scope::Inside)),
        'v' => {
            let (map, row) = place.split_once('#')?;
            let row: usize = row.parse().ok()?;
            let key = rows::rows_at(draft, map).into_iter().nth(row).map(|(key, _)| key).unwrap_or_default();
            Some((format!("{map}/{}", escape(&key)), Scope::Inside))
        }
        _ => None,
    }
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
pub fn problems(errors: &[FieldError], anchors: &[(String, String)]) -> Vec<Problem> {
    let link = |error: &FieldError| {
        let around = |place: &str| {
            error.path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
        };
        let nearest = anchors.iter().filter(|(place, _)| around(place)).max_by_key(|(place, _)| place.len());
        nearest.map_or_else(|| "#json".to_owned(), |(_, id)| format!("#{id}"))
    };
    let problem = |error: &FieldError| Problem {
        href: link(error),
        place: describe_pointer(&error.path),
        message: error.message.clone(),
    };
    errors.iter().map(problem).collect()
}

/// Returns the id of a control: a different one for each name. After a `#` a name may have any text, such as a tool's name.
pub fn dom_id(name: &str) -> String {
    let (place, rest) = name.split_once('#').unwrap_or((name, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut id = String::from("f-");
    id.extend(place.chars().map(|c| if plain(c) { c } else { '-' }));
    if !rest.is_empty() {
        id.push('-');
    }
    for c in rest.chars() {
        if plain(c) {
            id.push(c);
        } else {
            id.push_str(&format!("-{:x}-", u32::from(c)));
        }
    }
    id
}

/// The words for fields that the page doesn't call by their own names.
const LABELS: [(&str, &str); 21] = [
    ("agentCard", "card"),
    ("agentCardUrl", "address of its card"),
    ("agentId", "saved agent"),
    ("budgets", "limits"),
    ("fallbackModelId", "fallback"),
    ("hardCutoffThreshold", "give up after"),
    ("id", "tool"),
    ("consecutiveThreshold", "nudge after"),
    ("localToolTimeoutMs", "wait for a local tool"),
    ("loopDetection", "loop detection"),
    ("maxToolTurns", "turns with tools"),
    ("maxToolTurnsExceeded", "when the turns are used up"),
    ("metadata", "tags"),
    ("modelId", "model"),
    ("outputSchema", "answer"),
    ("planOnly", "only plan"),
    ("reasoningLevel", "reasoning"),
    ("systemPrompt", "system prompt"),
    ("toolBudgets", "calls per tool"),
    ("toolFilter", "only these tools"),
    ("url", "address"),
];

fn label_of(field: &str) -> &str {
    LABELS.iter().find(|(name, _)| *name == field).map_or(field, |(_, label)| label)
}

/// `/tools/2/url` → `Tool 3, address`.
pub fn describe_pointer(path: &str) -> String {
    let mut steps = path.trim_start_matches('/').split(['/', '#']);
    let first = steps.next().unwrap_or_default();
    let numbered = |what: &str, step: Option<&str>| match step.and_then(|step| step.parse::<usize>().ok()) {
        Some(i) => format!("{what} {}", i + 1),
        None => what.to_owned(),
    };
    let head = match first {
        "" => "Spec".to_owned(),
        "tools" => numbered("Tool", steps.next()),
        "messages" => numbered("Message", steps.next()),
        "session" if path.starts_with("/session/tools") => return "Tools of the session".to_owned(),
        "answers" => format!("Answers of {}", steps.next().unwrap_or_default()),
        other => label_of(other).to_owned(),
    };
    // Keys of maps are the user's own names.
    let is_map = matches!(first, "metadata" | "toolBudgets");
    let rest: Vec<&str> = steps.map(|step| if is_map { step } else { label_of(step) }).collect();
    if rest.is_empty() { head } else { format!("{head}, {}", rest.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_with_different_names_have_different_ids() {
        let ids: std::collections::BTreeSet<String> =
            ["c/f#a-b", "c/f#a_b", "c/f#a b", "c/f#a/b", "c/f", "c/f#é"].into_iter().map(dom_id).collect();
        assert_eq!(ids.len(), 6, "{ids:?}");
        assert_eq!(
            (dom_id("t/modelId").as_str(), dom_id("q:template-name").as_str()),
            ("f-t-modelId", "f-q-template-name")
        );
    }

    #[test]
    fn pointers_are_described_in_words() {
        assert_eq!(describe_pointer("/tools/2/name"), "Tool 3, name");
        assert_eq!(describe_pointer("/tools/2/agentCardUrl"), "Tool 3, address of its card");
        assert_eq!(describe_pointer("/metadata/url"), "tags, url");
        assert_eq!(describe_pointer("/prompt"), "prompt");
        assert_eq!(describe_pointer("/answers/look_up"), "Answers of look_up");
        assert_eq!(describe_pointer(""), "Spec");
    }
}
