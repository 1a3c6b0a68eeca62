//! The controls that the launch page is built from.

use app::launch::ControlName;
use app::launch::draft::{LaunchDraft, error_placement};
use app::model::launch::Tone;
use protocol::fields::FieldTable;
use protocol::validate::FieldError;
use serde_json::Value;

use super::items::{Button, Control, Field, Group, Item};
use crate::auth::scopes::includes;
use crate::launch::form::Action;
use crate::launch::{Catalogue, scope_of};

pub struct PageBuilder<'a> {
    pub draft: &'a LaunchDraft,
    pub fields: FieldTable,
    pub catalogue: &'a Catalogue,
    pub errors: Vec<FieldError>,
    /// The address of MANTYX that starts runs.
    pub runs_url: &'a str,
    /// The scopes of the sign-in.
    pub scopes: &'a str,
}

impl PageBuilder<'_> {
    pub fn spec(&self) -> &Value {
        &self.draft.spec
    }

    /// Returns the scope that this launch needs and the sign-in doesn't have.
    pub fn missing_scope(&self) -> Option<&'static str> {
        Some(scope_of(&self.draft.mode)).filter(|scope| !includes(self.scopes, scope))
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

    /// Returns a control with its error.
    pub fn field(&self, name: ControlName, label: &str, help: &str, control: Control) -> Field {
        let error = error_placement::error_at(self.draft, self.fields, &self.errors, &name);
        let (id, name) = (name.dom_id(), name.to_string());
        Field { id, name, label: label.to_owned(), help: help.to_owned(), error, control }
    }

    pub fn control(&self, name: ControlName, label: &str, help: &str, control: Control) -> Item {
        Item::Field(self.field(name, label, help, control))
    }

    /// Returns the control of a field's single value.
    pub fn spec_control(&self, pointer: &str, label: &str, help: &str, control: Control) -> Item {
        self.control(ControlName::field(pointer), label, help, control)
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
    owned_select(value.into(), options, false)
}

pub fn owned_select(value: String, mut options: Vec<(String, String)>, searchable: bool) -> Control {
    if !options.iter().any(|(option, _)| *option == value) {
        options.push((value.clone(), value.clone()));
    }
    Control::Select { value, options, searchable }
}

pub fn button(action: impl Into<Action>, label: &str, about: &str) -> Button {
    let (value, label, about) = (action.into().to_string(), label.to_owned(), about.to_owned());
    Button { value, label, about, hint: String::new(), danger: false, disabled: false }
}

pub fn buttons(button: Button) -> Item {
    Item::Buttons(vec![button])
}

pub fn note(text: impl Into<String>) -> Item {
    Item::Note { tone: Tone::Info, text: text.into() }
}

pub fn fold(id: impl Into<String>, title: impl Into<String>, open: bool, items: Vec<Item>) -> Item {
    Item::Group(Group { id: id.into(), title: title.into(), open: Some(open), items, ..Group::default() })
}
