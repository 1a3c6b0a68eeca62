//! Where faults are told: at the control that shows their place, and in the list beside the Launch button.

use protocol::validate::FieldError;

use super::place::escape;
use super::{Work, choices, rows};
use crate::launch::sheet::Problem;

/// How far a control answers for its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// For the place itself.
    At,
    /// For all that is inside it too.
    Inside,
}

/// What is wrong with what a control shows, where the control shows a part of the spec.
pub fn error_at(work: &Work, faults: &[FieldError], name: &str) -> Option<String> {
    let (place, reach) = place_of(work, name)?;
    let is_row_value = name.starts_with("v/");
    if is_row_value && place.ends_with('/') {
        return None;
    }
    // A row whose name is wrong is told of at its name.
    if is_row_value && at(faults, &name[1..]).is_some() {
        return None;
    }
    match reach {
        Reach::At => at(faults, &place),
        Reach::Inside => inside(faults, &place),
    }
}

/// Whether a control shows a part of the spec, so that all that can be wrong with it is told by [`error_at`].
pub fn shows_spec(work: &Work, name: &str) -> bool {
    place_of(work, name).is_some()
}

/// The place that a control is about, by its name.
pub fn pointer_of(work: &Work, name: &str) -> Option<String> {
    place_of(work, name).map(|(place, _)| place)
}

fn place_of(work: &Work, name: &str) -> Option<(String, Reach)> {
    let mut letters = name.chars();
    let (letter, place) = (letters.next()?, letters.as_str());
    if letter == 'x' {
        let setting = choices::ALL.iter().find(|setting| setting.name == name).map(|setting| setting.pointer);
        let pointer = setting.or(match name {
            "x:input" => Some("/messages"),
            "x:session" => Some("/session"),
            _ => None,
        });
        return pointer.map(|pointer| (pointer.to_owned(), Reach::At));
    }
    if !place.starts_with('/') {
        return None;
    }
    match letter {
        't' | 'n' | 'b' | 'k' | 'p' => Some((place.to_owned(), Reach::At)),
        'j' | 'l' => Some((place.to_owned(), Reach::Inside)),
        'v' => {
            let (map, row) = place.split_once('#')?;
            let row: usize = row.parse().ok()?;
            let key = rows::shown(work, map).into_iter().nth(row).map(|(key, _)| key).unwrap_or_default();
            Some((format!("{map}/{}", escape(&key)), Reach::Inside))
        }
        _ => None,
    }
}

pub fn at(faults: &[FieldError], place: &str) -> Option<String> {
    faults.iter().find(|fault| fault.path == place).map(|fault| fault.message.clone())
}

/// The first fault at a place or inside it.
pub fn inside(faults: &[FieldError], place: &str) -> Option<String> {
    let inside = |fault: &&FieldError| {
        fault.path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    faults.iter().find(inside).map(|fault| fault.message.clone())
}

/// Every fault with a link to the control that is about it, or to the nearest thing around it. `anchors` are places with the
/// ids of what shows them.
pub fn problems(faults: &[FieldError], anchors: &[(String, String)]) -> Vec<Problem> {
    let link = |fault: &FieldError| {
        let around = |place: &str| {
            fault.path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
        };
        let nearest = anchors.iter().filter(|(place, _)| around(place)).max_by_key(|(place, _)| place.len());
        nearest.map_or_else(|| "#json".to_owned(), |(_, id)| format!("#{id}"))
    };
    let problem = |fault: &FieldError| Problem {
        href: link(fault),
        place: place_in_words(&fault.path),
        message: fault.message.clone(),
    };
    faults.iter().map(problem).collect()
}

/// A control's id: another one for each name. What stands behind a `#` may be any text, such as a tool's name.
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

/// What the page calls a field, where that is not the field's own name.
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
pub fn place_in_words(path: &str) -> String {
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
    // Names that people have chosen stay as they are.
    let is_map = matches!(first, "metadata" | "toolBudgets");
    let rest: Vec<&str> = steps.map(|step| if is_map { step } else { label_of(step) }).collect();
    if rest.is_empty() { head } else { format!("{head}, {}", rest.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_of_other_names_have_other_ids() {
        let ids: std::collections::BTreeSet<String> =
            ["c/f#a-b", "c/f#a_b", "c/f#a b", "c/f#a/b", "c/f", "c/f#é"].into_iter().map(dom_id).collect();
        assert_eq!(ids.len(), 6, "{ids:?}");
        assert_eq!(
            (dom_id("t/modelId").as_str(), dom_id("q:template-name").as_str()),
            ("f-t-modelId", "f-q-template-name")
        );
    }

    #[test]
    fn places_are_said_in_words() {
        assert_eq!(place_in_words("/tools/2/name"), "Tool 3, name");
        assert_eq!(place_in_words("/tools/2/agentCardUrl"), "Tool 3, address of its card");
        assert_eq!(place_in_words("/metadata/url"), "tags, url");
        assert_eq!(place_in_words("/prompt"), "prompt");
        assert_eq!(place_in_words("/answers/look_up"), "Answers of look_up");
        assert_eq!(place_in_words(""), "Spec");
    }
}
