//! The fields of a spec, each described once.
//!
//! | reader | uses |
//! | --- | --- |
//! | [`validate`](crate::validate) | the rule |
//! | the launch form | section, label, help, control, layout and visibility |
//! | applying a sent form | the control |
//! | placing errors | the label |
//! | [`FieldTable::other_fields`] | which fields have a control |
//! | [`FieldTable::in_order`] | the order of fields in code samples |
//!
//! A new field is one entry of a file in `table/`.

mod control;
mod lookup;
mod other_fields;
mod rule;
mod shapes;
mod table;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use control::{Control, DefaultModel, Format, MapControl, Suggestions};
pub use rule::{Body, Context, Rule};
pub use shapes::Shapes;
pub use table::{GROUPS, SPEC_FIELDS, TOOL_KINDS, ToolKind};

pub struct Field {
    /// A JSON Pointer. `*` is any item of a list or entry of a map.
    pub pointer: &'static str,
    pub section: Section,
    pub label: &'static str,
    pub help: &'static str,
    pub control: Control,
    /// That of the control, unless the table has another.
    pub rule: Rule,
    pub shown: Shown,
    /// The control is next to the one before.
    pub beside: bool,
    /// The title of the fold that has the control. Empty for none.
    pub fold: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Input,
    Model,
    Tools,
    Limits,
    Output,
    Metadata,
}

/// The condition under which the form shows a field.
#[derive(Clone, Copy)]
pub enum Shown {
    /// A part of a value with several shapes: if that value is an object. Otherwise always.
    Always,
    /// For tools of these kinds. Tools of other kinds don't have the field.
    Kinds(&'static [&'static str]),
    /// For tools of a kind that the table doesn't have.
    UnknownKind,
    When(fn(&Value) -> bool),
}

/// All fields, in the order of the form.
#[derive(Clone, Copy)]
pub struct FieldTable(pub &'static [&'static [Field]]);

impl Field {
    pub const fn new(pointer: &'static str, section: Section, label: &'static str, control: Control) -> Self {
        let (rule, shown) = (control.rule(), Shown::Always);
        Self { pointer, section, label, help: "", control, rule, shown, beside: false, fold: "" }
    }

    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    pub const fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    pub const fn kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.shown = Shown::Kinds(kinds);
        self
    }

    pub const fn shown(mut self, shown: Shown) -> Self {
        self.shown = shown;
        self
    }

    pub const fn beside(mut self) -> Self {
        self.beside = true;
        self
    }

    pub const fn fold(mut self, title: &'static str) -> Self {
        self.fold = title;
        self
    }

    /// Returns the name of the field in its object.
    pub fn name(&self) -> &'static str {
        self.pointer.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// Returns the help with the limits of a number.
    pub fn help_text(&self) -> String {
        match &self.rule {
            Rule::Number { min, max } => format!("{} {min} to {max}.", self.help).trim_start().to_owned(),
            _ => self.help.to_owned(),
        }
    }
}

impl Section {
    pub const ALL: [Self; 6] = [Self::Input, Self::Model, Self::Tools, Self::Limits, Self::Output, Self::Metadata];

    /// Returns the id of its element, and its title.
    pub fn id_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Input => ("what", "Prompt"),
            Self::Model => ("model", "Model"),
            Self::Tools => ("tools", "Tools"),
            Self::Limits => ("limits", "Limits"),
            Self::Output => ("output", "Output format"),
            Self::Metadata => ("tags", "Name & metadata"),
        }
    }
}
