//! The work as a page, ready to draw.

mod agents;
mod answering;
mod changes;
mod finish;
mod json_problem;
mod limits;
mod tables;
mod tools;
mod what;

use std::cell::RefCell;

use app::launch::sheet::{Button, Control, Field, Item, LaunchPage, Problem, Section, Tone};
use app::launch::{Catalogue, Form, LaunchMode, Template};
use protocol::validate::FieldError;
use serde_json::Value;

use super::choices::Setting;
use super::files;
use super::place::{shown_json, shown_lines, shown_text};
use super::work::Work;

/// Faults that are told only when it was tried to launch: who has just begun has not forgotten anything.
const UNFINISHED: [&str; 2] = ["required", "too_few"];

const RUNS_SCOPE: &str = "runs:write";
const SESSIONS_SCOPE: &str = "sessions:write";

pub struct Draw<'a> {
    pub work: &'a Work,
    pub catalogue: &'a Catalogue,
    pub faults: Vec<FieldError>,
    /// The controls and groups of the page, by the places that they are about.
    anchors: RefCell<Vec<(String, String)>>,
}

pub fn page(work: &Work, catalogue: &Catalogue, templates: &[Template], faults: Vec<FieldError>) -> LaunchPage {
    let shown = faults.into_iter().filter(|fault| work.tried || !UNFINISHED.contains(&fault.code.as_str()));
    let draw = Draw { work, catalogue, faults: shown.collect(), anchors: RefCell::default() };
    let mut sections = vec![draw.what(), draw.model(), draw.tools(), draw.limits(), draw.output(), draw.tags()];
    sections.extend(draw.kept());
    let (mode, finish) = (draw.mode(), draw.finish(templates));
    let json = work.json.clone().unwrap_or_else(|| files::shown(&work.spec));
    LaunchPage {
        work: serde_json::to_string(work).unwrap_or_default(),
        notices: draw.notices(),
        templates: templates.iter().map(finish::template_link).collect(),
        sections,
        json_problem: work.json.as_deref().and_then(json_problem::json_problem),
        json,
        problems: draw.problems(),
        changes: draw.changes(),
        mode,
        finish,
        may_launch: draw.missing_scope().is_none(),
        focus: None,
    }
}

impl Draw<'_> {
    fn spec(&self) -> &Value {
        &self.work.spec
    }

    /// The scope that this launch needs and the sign-in does not have.
    fn missing_scope(&self) -> Option<&'static str> {
        let needed = if self.work.mode == LaunchMode::OneShot { RUNS_SCOPE } else { SESSIONS_SCOPE };
        self.lacks(needed).then_some(needed)
    }

    fn lacks(&self, scope: &str) -> bool {
        self.catalogue.missing_scopes.iter().any(|missing| missing == scope)
    }

    /// The id of a control, known from now on as the one for a place.
    fn anchor(&self, name: &str, pointer: &str) -> String {
        let id = dom_id(name);
        self.anchors.borrow_mut().push((pointer.to_owned(), id.clone()));
        id
    }

    fn error(&self, pointer: &str) -> Option<String> {
        self.faults.iter().find(|fault| fault.path == pointer).map(|fault| fault.message.clone())
    }

    /// The first fault at a place or inside it.
    fn error_inside(&self, pointer: &str) -> Option<String> {
        let inside = |fault: &&FieldError| {
            fault.path.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.faults.iter().find(inside).map(|fault| fault.message.clone())
    }

    fn field(&self, name: String, pointer: &str, label: &str, control: Control) -> Field {
        let id = self.anchor(&name, pointer);
        Field { id, name, label: label.to_owned(), help: String::new(), error: self.error(pointer), control }
    }

    fn text(&self, pointer: &str, label: &str, help: &str) -> Item {
        let field = self.field(format!("t{pointer}"), pointer, label, line(shown_text(self.spec(), pointer)));
        helped(field, help)
    }

    /// A text that may be completed from a list.
    fn text_of(&self, pointer: &str, label: &str, help: &str, choices: &str) -> Item {
        let value = shown_text(self.spec(), pointer);
        let field = self.field(format!("t{pointer}"), pointer, label, line_of(value, choices));
        helped(field, help)
    }

    fn number(&self, pointer: &str, label: &str, help: &str, placeholder: &str) -> Item {
        let value = shown_text(self.spec(), pointer);
        let control =
            Control::Line { value, placeholder: placeholder.to_owned(), choices: String::new(), secret: false };
        helped(self.field(format!("n{pointer}"), pointer, label, control), help)
    }

    fn area(&self, pointer: &str, label: &str, help: &str, rows: u32, placeholder: &str) -> Item {
        let value = shown_text(self.spec(), pointer);
        let control = Control::Area { value, placeholder: placeholder.to_owned(), rows, code: false };
        helped(self.field(format!("t{pointer}"), pointer, label, control), help)
    }

    fn lines(&self, pointer: &str, label: &str, help: &str) -> Item {
        let value = shown_lines(self.spec(), pointer);
        let control = Control::Area { value, placeholder: String::new(), rows: 3, code: false };
        let mut field = self.field(format!("l{pointer}"), pointer, label, control);
        field.error = self.error_inside(pointer);
        helped(field, help)
    }

    fn json(&self, pointer: &str, label: &str, help: &str, rows: u32) -> Item {
        let name = format!("j{pointer}");
        let value = self.work.texts.get(&name).cloned().unwrap_or_else(|| shown_json(self.spec(), pointer));
        let control = Control::Area { value, placeholder: String::new(), rows, code: true };
        let mut field = self.field(name, pointer, label, control);
        field.error = self.error_inside(pointer);
        helped(field, help)
    }

    fn tick(&self, pointer: &str, label: &str, help: &str) -> Item {
        let ticked = self.spec().pointer(pointer) == Some(&Value::Bool(true));
        let control = Control::Tick { value: "true".to_owned(), ticked };
        helped(self.field(format!("b{pointer}"), pointer, label, control), help)
    }

    /// A text that is one of several words. What the spec says beside them can be chosen too, so that it is not lost.
    fn select(&self, pointer: &str, label: &str, help: &str, words: &[(&str, &str)]) -> Item {
        let value = shown_text(self.spec(), pointer);
        let control = Control::Select { options: with_own(&value, words), value };
        helped(self.field(format!("t{pointer}"), pointer, label, control), help)
    }

    fn choice(&self, setting: &Setting, label: &str, help: &str, words: &[(&str, &str)]) -> Item {
        let value = setting.shown_in(self.spec()).to_owned();
        let control = Control::Select { options: with_own(&value, words), value };
        helped(self.field(setting.name.to_owned(), setting.pointer, label, control), help)
    }

    /// Every fault with a link to the control, or to the nearest thing around it.
    fn problems(&self) -> Vec<Problem> {
        let anchors = self.anchors.borrow();
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
        self.faults.iter().map(problem).collect()
    }

    fn kept(&self) -> Option<Section> {
        let form = Form::read(self.spec())?;
        let facts: Vec<(String, String)> =
            form.kept_fields().into_iter().map(|(path, value)| (path, value.to_string())).collect();
        let section = Section {
            id: "kept".to_owned(),
            title: "Other fields, kept as they are".to_owned(),
            intro: "No control shows these. They are sent as they stand; change them in the JSON.".to_owned(),
            items: vec![Item::Facts { facts: facts.clone() }],
        };
        (!facts.is_empty()).then_some(section)
    }
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

fn line(value: String) -> Control {
    line_of(value, "")
}

fn line_of(value: String, choices: &str) -> Control {
    Control::Line { value, placeholder: String::new(), choices: choices.to_owned(), secret: false }
}

fn helped(mut field: Field, help: &str) -> Item {
    help.clone_into(&mut field.help);
    Item::Field(field)
}

fn with_own(value: &str, words: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> =
        words.iter().map(|(word, label)| ((*word).to_owned(), (*label).to_owned())).collect();
    if !words.iter().any(|(word, _)| *word == value) {
        options.push((value.to_owned(), value.to_owned()));
    }
    options
}

fn button(value: impl Into<String>, label: &str, about: &str) -> Button {
    Button {
        value: value.into(),
        label: label.to_owned(),
        about: about.to_owned(),
        hint: String::new(),
        danger: false,
        disabled: false,
    }
}

fn note(text: impl Into<String>) -> Item {
    Item::Note { tone: Tone::Info, text: text.into() }
}

/// `/tools/2/name` → `Tool 3, name`.
fn place_in_words(path: &str) -> String {
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
        "answers" => format!("Answers of {}", steps.next().unwrap_or_default()),
        other => other.to_owned(),
    };
    let rest: Vec<&str> = steps.collect();
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
        assert_eq!(place_in_words("/prompt"), "prompt");
        assert_eq!(place_in_words("/answers/look_up"), "Answers of look_up");
        assert_eq!(place_in_words(""), "Spec");
    }
}
