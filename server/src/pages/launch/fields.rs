//! Builds the form's items from the table of fields.

use app::launch::control_name::dom_id;
use app::launch::draft::control_text::{json_at, lines_at, text_at};
use app::launch::draft::shapes::input_choice;
use app::launch::{ControlKind, ControlName};
use protocol::fields::{self, Control, DefaultModel, Section};
use protocol::json::preview;
use serde_json::Value;

use super::controls::{PageBuilder, area, checkbox, code_area, fold, line, line_with, note, owned_select, select};
use super::items::{Group, GroupRole, Item};
use crate::launch::{Choice, Offer};

/// The most characters of a description in a list.
const MAX_DESCRIPTION_CHARS: usize = 90;
/// Options of a closed list.
const MAX_CLOSED_OPTIONS: usize = 8;

impl PageBuilder<'_> {
    pub fn sections(&self) -> Vec<Group> {
        Section::ALL.into_iter().map(|section| self.section(section)).chain(self.other_fields()).collect()
    }

    fn section(&self, section: Section) -> Group {
        let mut items = self.items(self.fields.in_section(section), "");
        let mut hint = "";
        match section {
            Section::Input => {
                let control =
                    select(input_choice(self.spec()), [("prompt", "One prompt"), ("messages", "Several messages")]);
                items.insert(0, self.control(ControlKind::Other.at("input"), "Input", "", control));
            }
            Section::Model => drop(items.splice(0..0, self.catalogue.models.unavailable.iter().map(note))),
            Section::Tools if self.spec()["tools"].as_array().is_none_or(Vec::is_empty) => {
                hint = "No tools yet. Without tools, the model answers from its own knowledge.";
            }
            Section::Output if !self.spec()["outputSchema"].is_null() => items.push(self.sample()),
            Section::Metadata => {
                hint = "Use metadata to find runs later. Fill in the empty row to add another one.";
            }
            Section::Tools | Section::Output | Section::Limits => {}
        }
        let (summary, open) = self.section_fold(section).unzip();
        let (id, title) = section.id_and_title();
        Group {
            id: id.to_owned(),
            role: GroupRole::Section,
            title: title.to_owned(),
            summary: summary.unwrap_or_default(),
            open,
            hint: hint.to_owned(),
            items,
            ..Group::default()
        }
    }

    /// Returns the items of fields, for the object at `parent`, in rows and folds as the table says.
    pub fn items(&self, fields: impl Iterator<Item = &'static fields::Field>, parent: &str) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut open_fold = "";
        for field in fields {
            let pointer =
                if parent.is_empty() { field.pointer.to_owned() } else { format!("{parent}/{}", field.name()) };
            if !self.fields.is_shown(field, self.spec(), &pointer) {
                continue;
            }
            let own = self.field_items(field, &pointer);
            if field.fold.is_empty() {
                add(&mut items, own, field.beside);
            } else if field.fold == open_fold
                && let Some(Item::Group(Group { items: inside, open, .. })) = items.last_mut()
            {
                add(inside, own, field.beside);
                *open = open.map(|open| open || self.is_open(&pointer));
            } else {
                let id = dom_id(&format!("fold{parent}/{}", field.name()));
                items.push(fold(id, field.fold, self.is_open(&pointer), own));
            }
            open_fold = field.fold;
        }
        items
    }

    /// A fold is open if one of its fields is set or has an error.
    fn is_open(&self, pointer: &str) -> bool {
        self.spec().pointer(pointer).is_some_and(|value| !value.is_boolean()) || self.error_inside(pointer).is_some()
    }

    fn field_items(&self, field: &fields::Field, pointer: &str) -> Vec<Item> {
        let text = || text_at(self.spec(), pointer);
        let single = |control| vec![self.spec_control(pointer, field.label, &field.help_text(), control)];
        match field.control {
            Control::Parts => Vec::new(),
            Control::Line => single(line(text())),
            Control::Area { rows, placeholder } => single(area(text(), rows, placeholder)),
            Control::Number { placeholder } => single(line_with(text(), placeholder, "")),
            Control::Lines => single(area(lines_at(self.spec(), pointer), 3, "")),
            Control::Json { rows } => vec![self.json(pointer, field.label, field.help, rows)],
            Control::Checkbox => single(checkbox(self.spec().pointer(pointer) == Some(&Value::Bool(true)))),
            Control::Select(options) => single(select(text(), options.iter().copied())),
            Control::Model(default) => vec![self.model_select(pointer, field, default)],
            Control::Shapes(shapes) => {
                let control = select(shapes.choice_of(self.spec().pointer(pointer)), shapes.options());
                vec![self.control(ControlKind::Choice.at(pointer), field.label, field.help, control)]
            }
            Control::Map(map) => self.map(pointer, map, field.help),
            Control::Schema => self.schema(pointer, field.label, field.help),
            Control::Agent => vec![self.offered(pointer, field, &self.catalogue.agents, "None")],
            Control::WorkspaceTool => vec![self.offered(pointer, field, &self.catalogue.tools, "Choose a tool")],
            Control::PluginTool => vec![self.offered(pointer, field, &self.catalogue.plugins, "Choose a tool")],
            Control::Messages => self.messages(),
            Control::Attachments => vec![self.attachments(pointer)],
            Control::Tools => self.tools(),
            Control::CardUrl => self.card_url(pointer, single(line(text()))),
            Control::Card => self.card(pointer, field),
            Control::ToolFilter => self.tool_filter(pointer, field),
            Control::ToolList => self.tool_list(pointer, field),
        }
    }

    pub fn json(&self, pointer: &str, label: &str, help: &str, rows: u32) -> Item {
        let text = match self.draft.unfinished.text(&ControlName::field(pointer)) {
            "" => json_at(self.spec(), pointer),
            unfinished => unfinished.to_owned(),
        };
        self.spec_control(pointer, label, help, code_area(text, rows, ""))
    }

    /// A list of the workspace to choose from, or a text line if there is none.
    fn offered(&self, pointer: &str, field: &fields::Field, offer: &Offer<Choice>, none: &str) -> Item {
        let value = text_at(self.spec(), pointer);
        if let Some(why) = &offer.unavailable {
            return self.spec_control(pointer, field.label, &format!("{why} Enter its id."), line(value));
        }
        let label = |choice: &Choice| match choice.description.as_str() {
            "" => choice.name.clone(),
            description => format!("{} — {}", choice.name, preview(description, MAX_DESCRIPTION_CHARS)),
        };
        let listed = offer.items.iter().map(|choice| (choice.id.clone(), label(choice)));
        let options: Vec<_> = std::iter::once((String::new(), none.to_owned())).chain(listed).collect();
        // A few agents fit into a closed list.
        let searchable = pointer != "/agentId" || options.len() > MAX_CLOSED_OPTIONS;
        self.spec_control(pointer, field.label, field.help, owned_select(value, options, searchable))
    }

    /// A select of models, or a text line without a catalogue.
    fn model_select(&self, pointer: &str, field: &fields::Field, default: DefaultModel) -> Item {
        let session = self.draft.session_spec();
        let none = match (default, session) {
            (DefaultModel::Workspace, Some(session)) => named("The session's", session["modelId"].as_str()),
            (DefaultModel::Workspace, None) => {
                named("The workspace's default", self.catalogue.default_model_id.as_deref())
            }
            (DefaultModel::None, Some(_)) => "The session's".to_owned(),
            (DefaultModel::None, None) => "None".to_owned(),
            (DefaultModel::Mantyx, _) => "Default".to_owned(),
        };
        let help = if default == DefaultModel::Workspace { self.estimate() } else { field.help.to_owned() };
        let value = text_at(self.spec(), pointer);
        let models = &self.catalogue.models;
        if models.unavailable.is_some() {
            let help = format!("{help} Empty: {none}.");
            return self.spec_control(pointer, field.label, help.trim(), line(value));
        }
        let listed = models.items.iter().map(|model| (model.id.clone(), super::model::describe(model)));
        let options = std::iter::once((String::new(), none)).chain(listed).collect();
        self.spec_control(pointer, field.label, &help, owned_select(value, options, false))
    }

    fn other_fields(&self) -> Option<Group> {
        let found = self.fields.other_fields(self.spec());
        let facts: Vec<(String, String)> = found.into_iter().map(|(path, value)| (path, value.to_string())).collect();
        (!facts.is_empty()).then(|| Group {
            id: "kept".to_owned(),
            role: GroupRole::Section,
            title: "Other fields".to_owned(),
            hint: "Fields that are not in the form. They are sent unchanged; edit them in the JSON.".to_owned(),
            items: vec![Item::Facts(facts)],
            ..Group::default()
        })
    }
}

/// Adds items, next to the last one or below it.
fn add(items: &mut Vec<Item>, own: Vec<Item>, beside: bool) {
    match items.pop() {
        Some(Item::Row(row)) if beside => items.push(Item::Row(row.into_iter().chain(own).collect())),
        Some(last) if beside => items.push(Item::Row(std::iter::once(last).chain(own).collect())),
        last => {
            items.extend(last);
            items.extend(own);
        }
    }
}

fn named(whose: &str, id: Option<&str>) -> String {
    id.map_or_else(|| whose.to_owned(), |id| format!("{whose} ({id})"))
}
