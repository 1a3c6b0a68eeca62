//! Builds the form's items from the table of fields.

use app::launch::ControlName;
use app::launch::control_name::dom_id;
use app::launch::draft::control_text::{json_at, lines_at, text_at};
use app::launch::draft::shapes::input_choice;
use app::model::launch::{Item, Section, Tone};
use protocol::fields::{self, Control, DefaultModel};
use serde_json::Value;

use super::controls::{
    PageBuilder, area, checkbox, code_area, fold, line, line_with_datalist, line_with_placeholder, select, with_help,
};

impl PageBuilder<'_> {
    pub fn sections(&self) -> Vec<Section> {
        let section = |section: fields::Section| {
            let mut items = self.before_fields(section);
            items.extend(self.items(self.fields.in_section(section), ""));
            items.extend(self.after_fields(section));
            Section {
                id: section.id().to_owned(),
                title: section.title().to_owned(),
                intro: self.intro(section),
                fold: self.section_fold(section),
                items,
            }
        };
        fields::Section::ALL.into_iter().map(section).chain(self.other_fields()).collect()
    }

    /// The controls of a section that are not fields of the spec.
    fn before_fields(&self, section: fields::Section) -> Vec<Item> {
        match section {
            fields::Section::Input => {
                let options = [("prompt", "One prompt"), ("messages", "Several messages")];
                let control = select(input_choice(self.spec()), &options);
                vec![Item::Field(self.field(&ControlName::Other("input"), "/messages", "Input", control))]
            }
            fields::Section::Model => self.catalogue.models.unavailable.iter().map(super::controls::note).collect(),
            _ => Vec::new(),
        }
    }

    fn after_fields(&self, section: fields::Section) -> Option<Item> {
        match section {
            fields::Section::Output => {
                self.spec().get("outputSchema").filter(|schema| !schema.is_null()).map(|_| self.sample())
            }
            _ => None,
        }
    }

    fn intro(&self, section: fields::Section) -> String {
        match section {
            fields::Section::Tools if self.spec()["tools"].as_array().is_none_or(Vec::is_empty) => {
                "None yet. Without tools, the run answers from what the model knows."
            }
            fields::Section::Metadata => "Runs are found by these. An empty row adds another one.",
            _ => "",
        }
        .to_owned()
    }

    /// Returns the items of fields, for the object at `parent`, in rows and folds as the table says.
    pub fn items(&self, fields: impl Iterator<Item = &'static fields::Field>, parent: &str) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut open_fold = "";
        for field in fields {
            let pointer =
                if parent.is_empty() { field.pointer.to_owned() } else { format!("{parent}/{}", field.name()) };
            if !field.is_shown(self.spec(), &pointer) {
                continue;
            }
            let own = self.field_items(field, &pointer);
            if field.fold.is_empty() {
                add(&mut items, own, field.beside);
            } else if field.fold == open_fold
                && let Some(Item::Fold { items: inside, open, .. }) = items.last_mut()
            {
                add(inside, own, field.beside);
                *open |= self.is_open(&pointer);
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
        let single = |control| vec![with_help(self.spec_field(pointer, field.label, control), &field.help_text())];
        match field.control {
            Control::Parts => Vec::new(),
            Control::Line => single(line(text())),
            Control::Area { rows, placeholder } => single(area(text(), rows, placeholder)),
            Control::Number { placeholder } => single(line_with_placeholder(text(), placeholder)),
            Control::Lines => single(area(lines_at(self.spec(), pointer), 3, "")),
            Control::Json { rows } => vec![self.json(pointer, field.label, field.help, rows)],
            Control::Checkbox => single(checkbox(self.spec().pointer(pointer) == Some(&Value::Bool(true)))),
            Control::Select(options) => single(select(text(), options)),
            Control::Model(default) => vec![self.model_select(pointer, field, default)],
            Control::Shapes(shapes) => {
                let control = select((shapes.choice_of)(self.spec().pointer(pointer)), shapes.options);
                let name = ControlName::Choice(pointer.to_owned());
                vec![with_help(self.field(&name, pointer, field.label, control), field.help)]
            }
            Control::Map(map) => self.map(pointer, map, field.help),
            Control::Schema => self.schema(pointer, field.label, field.help),
            Control::Agent => {
                let agents = &self.catalogue.agents;
                let help = agents.unavailable.as_deref().unwrap_or(field.help);
                let control = line_with_datalist(text(), "agents");
                let listed = agents.items.iter().map(|agent| (agent.id.clone(), agent.name.clone()));
                vec![
                    with_help(self.spec_field(pointer, field.label, control), help),
                    Item::Datalist { id: "agents".to_owned(), values: listed.collect() },
                ]
            }
            Control::WorkspaceTool => self.offered(pointer, field.label, &self.catalogue.tools, "workspace-tools"),
            Control::PluginTool => self.offered(pointer, field.label, &self.catalogue.plugins, "plugin-tools"),
            Control::Messages => self.messages(),
            Control::Attachments => vec![self.attachments(pointer)],
            Control::Tools => self.tools(),
            Control::CardUrl => self.card_url(pointer, single(line(text()))),
            Control::Card => self.card(pointer, field),
            Control::ToolFilter => self.tool_filter(pointer, field),
            Control::ToolList => self.tool_list(pointer, field),
        }
    }

    /// Returns the control for a field's single value.
    pub fn spec_field(
        &self,
        pointer: &str,
        label: &str,
        control: app::model::launch::Control,
    ) -> app::model::launch::Field {
        self.field(&ControlName::field(pointer), pointer, label, control)
    }

    pub fn json(&self, pointer: &str, label: &str, help: &str, rows: u32) -> Item {
        let name = ControlName::field(pointer);
        let unfinished = self.draft.unfinished.texts.get(&name.to_string()).cloned();
        let control = code_area(unfinished.unwrap_or_else(|| json_at(self.spec(), pointer)), rows, "");
        with_help(self.field(&name, pointer, label, control), help)
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
            return with_help(self.spec_field(pointer, field.label, line(value)), help.trim());
        }
        let labels: Vec<(&str, String)> =
            models.items.iter().map(|model| (model.id.as_str(), super::model::describe(model))).collect();
        let options: Vec<(&str, &str)> =
            [("", none.as_str())].into_iter().chain(labels.iter().map(|(id, label)| (*id, label.as_str()))).collect();
        with_help(self.spec_field(pointer, field.label, select(value, &options)), &help)
    }

    fn other_fields(&self) -> Option<Section> {
        let facts: Vec<(String, String)> =
            self.fields.other_fields(self.spec()).into_iter().map(|(path, value)| (path, value.to_string())).collect();
        let section = Section {
            id: "kept".to_owned(),
            title: "Other fields".to_owned(),
            intro: "These have no control. They are sent unchanged; edit them in the JSON.".to_owned(),
            fold: None,
            items: vec![Item::Facts { facts: facts.clone() }],
        };
        (!facts.is_empty()).then_some(section)
    }

    /// Returns a note with the error of a field whose controls show only parts of it.
    pub fn error_note(&self, pointer: &str) -> Option<Item> {
        self.error(pointer).map(|text| Item::Note { tone: Tone::Error, text })
    }
}

/// Adds items, next to the last one or below it.
fn add(items: &mut Vec<Item>, mut own: Vec<Item>, beside: bool) {
    match items.pop() {
        Some(Item::Row { items: mut row }) if beside => {
            row.append(&mut own);
            items.push(Item::Row { items: row });
        }
        Some(last) if beside => items.push(Item::Row { items: std::iter::once(last).chain(own).collect() }),
        last => {
            items.extend(last);
            items.append(&mut own);
        }
    }
}

fn named(whose: &str, id: Option<&str>) -> String {
    id.map_or_else(|| whose.to_owned(), |id| format!("{whose} ({id})"))
}
