//! The work as a page, ready to draw.

mod agents;
mod answering;
mod changes;
mod finish;
mod limits;
mod programs;
mod tables;
mod tools;
mod what;

use std::cell::RefCell;

use app::launch::sheet::{Button, Control, Field, Item, LaunchPage, Section, Tone};
use app::launch::{Catalogue, Form, LaunchMode, Template};
use protocol::validate::FieldError;
use serde_json::Value;

use super::choices::Setting;
use super::files;
use super::place::{shown_json, shown_lines, shown_text};
use super::told::{self, dom_id};
use super::work::{self, Work};

const RUNS_SCOPE: &str = "runs:write";
const SESSIONS_SCOPE: &str = "sessions:write";

pub struct Draw<'a> {
    pub work: &'a Work,
    pub catalogue: &'a Catalogue,
    pub faults: Vec<FieldError>,
    /// Where runs are started.
    runs_url: &'a str,
    /// The controls and groups of the page, by the places that they are about.
    anchors: RefCell<Vec<(String, String)>>,
}

pub fn page(
    work: &Work,
    catalogue: &Catalogue,
    templates: &[Template],
    faults: Vec<FieldError>,
    runs_url: &str,
) -> LaunchPage {
    let told = faults.into_iter().filter(|fault| work::faults::is_told(work, fault));
    let draw = Draw { work, catalogue, faults: told.collect(), runs_url, anchors: RefCell::default() };
    let mut sections = vec![draw.what(), draw.model(), draw.tools(), draw.limits(), draw.output(), draw.tags()];
    sections.extend(draw.kept());
    let (mode, finish) = (draw.mode(), draw.finish(templates));
    let json = work.json.clone().unwrap_or_else(|| files::shown(&work.spec));
    LaunchPage {
        work: serde_json::to_string(work).unwrap_or_default(),
        notices: draw.notices(),
        templates: templates.iter().map(finish::template_link).collect(),
        sections,
        json_problem: work.json.as_deref().and_then(work::json_problem::json_problem),
        json,
        problems: told::problems(&draw.faults, &draw.anchors.borrow()),
        changes: draw.changes(),
        mode,
        finish,
        may_launch: draw.missing_scope().is_none(),
        refusal: draw.refusal(),
        unsure: work.unsure && work.message.is_some(),
        kept: String::new(),
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
        told::at(&self.faults, pointer)
    }

    fn error_inside(&self, pointer: &str) -> Option<String> {
        told::inside(&self.faults, pointer)
    }

    fn field(&self, name: String, pointer: &str, label: &str, control: Control) -> Field {
        let id = self.anchor(&name, pointer);
        let error = match told::shows_spec(self.work, &name) {
            true => told::error_at(self.work, &self.faults, &name),
            false => self.error(pointer),
        };
        Field { id, name, label: label.to_owned(), help: String::new(), error, control }
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
        helped(self.field(format!("l{pointer}"), pointer, label, control), help)
    }

    fn json(&self, pointer: &str, label: &str, help: &str, rows: u32) -> Item {
        let name = format!("j{pointer}");
        let value = self.work.texts.get(&name).cloned().unwrap_or_else(|| shown_json(self.spec(), pointer));
        let control = Control::Area { value, placeholder: String::new(), rows, code: true };
        helped(self.field(name, pointer, label, control), help)
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
