//! The controls that the launch page is built from.

use std::cell::RefCell;

use app::launch::control_name::{ControlName, dom_id};
use app::launch::draft::{LaunchDraft, error_placement};
use app::launch::{Action, LaunchMode};
use app::model::launch::{Button, Control, Field, Group, Item, Tone};
use protocol::fields::FieldTable;
use protocol::validate::FieldError;
use serde_json::Value;

use crate::launch::Catalogue;

pub const RUNS_SCOPE: &str = "runs:write";
const SESSIONS_SCOPE: &str = "sessions:write";

pub struct PageBuilder<'a> {
    pub draft: &'a LaunchDraft,
    pub fields: FieldTable,
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

    /// Returns the id of a group, and registers it for links to its pointer.
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

    /// Returns a note with the error of a field whose controls show only parts of it.
    pub fn error_note(&self, pointer: &str) -> Option<Item> {
        self.error(pointer).map(|text| Item::Note { tone: Tone::Error, text })
    }

    /// Returns a control with its error. `pointer` is where links to its errors lead.
    pub fn field(&self, name: &ControlName, pointer: &str, label: &str, help: &str, control: Control) -> Field {
        let id = self.anchor(&name.to_string(), pointer);
        let error = match error_placement::pointer_of(self.draft, self.fields, name) {
            Some(_) => error_placement::error_at(self.draft, self.fields, &self.errors, name),
            None => self.error(pointer),
        };
        Field { id, name: name.to_string(), label: label.to_owned(), help: help.to_owned(), error, control }
    }

    pub fn control(&self, name: &ControlName, pointer: &str, label: &str, help: &str, control: Control) -> Item {
        Item::Field(self.field(name, pointer, label, help, control))
    }

    /// Returns the control of a field's single value.
    pub fn spec_control(&self, pointer: &str, label: &str, help: &str, control: Control) -> Item {
        self.control(&ControlName::field(pointer), pointer, label, help, control)
    }
}

pub fn line(value: impl Into<String>) -> Control {
    line_with(value, "", "")
}

pub fn line_with(value: impl Into<String>, placeholder: &str, datalist: &str) -> Control {
    let (placeholder, datalist) = (placeholder.to_owned(), datalist.to_owned());
    Control::TextLine { value: value.into(), placeholder, datalist, secret: false }
}

pub fn secret_line(value: impl Into<String>) -> Control {
    Control::TextLine { value: value.into(), placeholder: String::new(), datalist: String::new(), secret: true }
}

pub fn area(value: impl Into<String>, rows: u32, placeholder: &str) -> Control {
    Control::TextArea { value: value.into(), placeholder: placeholder.to_owned(), rows, code: false }
}

pub fn code_area(value: impl Into<String>, rows: u32, placeholder: &str) -> Control {
    Control::TextArea { value: value.into(), placeholder: placeholder.to_owned(), rows, code: true }
}

pub fn checkbox(checked: bool) -> Control {
    Control::Checkbox { value: "true".to_owned(), checked }
}

/// A select. A value that is none of the options becomes one, so that it is not lost.
pub fn select<T: Into<String>>(
    value: impl Into<String>,
    options: impl IntoIterator<Item = (&'static str, T)>,
) -> Control {
    let options = options.into_iter().map(|(option, label)| (option.to_owned(), label.into())).collect();
    owned_select(value.into(), options)
}

pub fn owned_select(value: String, mut options: Vec<(String, String)>) -> Control {
    if !options.iter().any(|(option, _)| *option == value) {
        options.push((value.clone(), value.clone()));
    }
    Control::Select { value, options, searchable: false }
}

pub fn button(action: impl Into<Action>, label: &str, about: &str) -> Button {
    let (value, label, about) = (action.into().to_string(), label.to_owned(), about.to_owned());
    Button { value, label, about, hint: String::new(), danger: false, disabled: false }
}

pub fn buttons(button: Button) -> Item {
    Item::Buttons { buttons: vec![button] }
}

pub fn note(text: impl Into<String>) -> Item {
    Item::Note { tone: Tone::Info, text: text.into() }
}

pub fn fold(id: impl Into<String>, title: impl Into<String>, open: bool, items: Vec<Item>) -> Item {
    Item::Group(Group { id: id.into(), title: title.into(), open: Some(open), items, ..Group::default() })
}
