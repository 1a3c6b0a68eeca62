//! The controls that sections of the launch page are built from.

use std::cell::RefCell;

use app::launch::draft::LaunchDraft;
use app::launch::draft::control_text::{json_at, lines_at, text_at};
use app::launch::draft::error_placement::{self, dom_id};
use app::launch::draft::settings::Setting;
use app::launch::{LaunchMode, SpecForm};
use app::model::launch::{Button, Control, Field, Item, Section, Tone};
use protocol::validate::FieldError;
use serde_json::Value;

use crate::launch::Catalogue;

pub const RUNS_SCOPE: &str = "runs:write";
const SESSIONS_SCOPE: &str = "sessions:write";

pub struct PageBuilder<'a> {
    pub draft: &'a LaunchDraft,
    pub catalogue: &'a Catalogue,
    pub errors: Vec<FieldError>,
    /// The address of MANTYX that starts runs.
    pub runs_url: &'a str,
    /// The ids of controls and groups, by the pointers of their fields.
    pub anchors: RefCell<Vec<(String, String)>>,
}

impl PageBuilder<'_> {
    pub fn spec(&self) -> &Value {
        &self.draft.spec
    }

    /// Returns the scope that this launch needs and the sign-in doesn't have.
    pub fn missing_scope(&self) -> Option<&'static str> {
        let needed = if self.draft.mode == LaunchMode::OneShot { RUNS_SCOPE } else { SESSIONS_SCOPE };
        self.lacks(needed).then_some(needed)
    }

    pub fn lacks(&self, scope: &str) -> bool {
        self.catalogue.missing_scopes.iter().any(|missing| missing == scope)
    }

    /// Returns the id of a control, and registers it for links to its field.
    pub fn anchor(&self, name: &str, pointer: &str) -> String {
        let id = dom_id(name);
        self.anchors.borrow_mut().push((pointer.to_owned(), id.clone()));
        id
    }

    pub fn error(&self, pointer: &str) -> Option<String> {
        error_placement::at(&self.errors, pointer)
    }

    pub fn error_inside(&self, pointer: &str) -> Option<String> {
        error_placement::inside(&self.errors, pointer)
    }

    pub fn field(&self, name: String, pointer: &str, label: &str, control: Control) -> Field {
        let id = self.anchor(&name, pointer);
        let error = match error_placement::shows_spec(self.draft, &name) {
            true => error_placement::error_at(self.draft, &self.errors, &name),
            false => self.error(pointer),
        };
        Field { id, name, label: label.to_owned(), help: String::new(), error, control }
    }

    pub fn text(&self, pointer: &str, label: &str, help: &str) -> Item {
        let field = self.field(format!("t{pointer}"), pointer, label, line(text_at(self.spec(), pointer)));
        with_help(field, help)
    }

    /// A text line with completions.
    pub fn text_with_datalist(&self, pointer: &str, label: &str, help: &str, datalist: &str) -> Item {
        let value = text_at(self.spec(), pointer);
        let field = self.field(format!("t{pointer}"), pointer, label, line_with_datalist(value, datalist));
        with_help(field, help)
    }

    pub fn number(&self, pointer: &str, label: &str, help: &str, placeholder: &str) -> Item {
        let value = text_at(self.spec(), pointer);
        let control =
            Control::TextLine { value, placeholder: placeholder.to_owned(), datalist: String::new(), secret: false };
        with_help(self.field(format!("n{pointer}"), pointer, label, control), help)
    }

    pub fn area(&self, pointer: &str, label: &str, help: &str, rows: u32, placeholder: &str) -> Item {
        let value = text_at(self.spec(), pointer);
        let control = Control::TextArea { value, placeholder: placeholder.to_owned(), rows, code: false };
        with_help(self.field(format!("t{pointer}"), pointer, label, control), help)
    }

    pub fn lines(&self, pointer: &str, label: &str, help: &str) -> Item {
        let value = lines_at(self.spec(), pointer);
        let control = Control::TextArea { value, placeholder: String::new(), rows: 3, code: false };
        with_help(self.field(format!("l{pointer}"), pointer, label, control), help)
    }

    pub fn json(&self, pointer: &str, label: &str, help: &str, rows: u32) -> Item {
        let name = format!("j{pointer}");
        let value = self.draft.invalid_texts.get(&name).cloned().unwrap_or_else(|| json_at(self.spec(), pointer));
        let control = Control::TextArea { value, placeholder: String::new(), rows, code: true };
        with_help(self.field(name, pointer, label, control), help)
    }

    pub fn checkbox(&self, pointer: &str, label: &str, help: &str) -> Item {
        let checked = self.spec().pointer(pointer) == Some(&Value::Bool(true));
        let control = Control::Checkbox { value: "true".to_owned(), checked };
        with_help(self.field(format!("b{pointer}"), pointer, label, control), help)
    }

    /// A select. A value of the spec that is none of the options becomes one, so that it is not lost.
    pub fn select(&self, pointer: &str, label: &str, help: &str, words: &[(&str, &str)]) -> Item {
        let value = text_at(self.spec(), pointer);
        let control = Control::Select { options: options_with(&value, words), value };
        with_help(self.field(format!("t{pointer}"), pointer, label, control), help)
    }

    pub fn choice(&self, setting: &Setting, label: &str, help: &str, words: &[(&str, &str)]) -> Item {
        let value = setting.choice_in(self.spec()).to_owned();
        let control = Control::Select { options: options_with(&value, words), value };
        with_help(self.field(setting.name.to_owned(), setting.pointer, label, control), help)
    }

    pub fn other_fields(&self) -> Option<Section> {
        let form = SpecForm::read(self.spec())?;
        let facts: Vec<(String, String)> =
            form.other_fields().into_iter().map(|(path, value)| (path, value.to_string())).collect();
        let section = Section {
            id: "kept".to_owned(),
            title: "Other fields, kept as they are".to_owned(),
            intro: "No control shows these. They are sent as they stand; change them in the JSON.".to_owned(),
            items: vec![Item::Facts { facts: facts.clone() }],
        };
        (!facts.is_empty()).then_some(section)
    }
}

pub fn line(value: String) -> Control {
    line_with_datalist(value, "")
}

pub fn line_with_datalist(value: String, datalist: &str) -> Control {
    Control::TextLine { value, placeholder: String::new(), datalist: datalist.to_owned(), secret: false }
}

pub fn with_help(mut field: Field, help: &str) -> Item {
    help.clone_into(&mut field.help);
    Item::Field(field)
}

pub fn options_with(value: &str, words: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> =
        words.iter().map(|(word, label)| ((*word).to_owned(), (*label).to_owned())).collect();
    if !words.iter().any(|(word, _)| *word == value) {
        options.push((value.to_owned(), value.to_owned()));
    }
    options
}

pub fn button(value: impl Into<String>, label: &str, about: &str) -> Button {
    Button {
        value: value.into(),
        label: label.to_owned(),
        about: about.to_owned(),
        hint: String::new(),
        danger: false,
        disabled: false,
    }
}

pub fn note(text: impl Into<String>) -> Item {
    Item::Note { tone: Tone::Info, text: text.into() }
}
