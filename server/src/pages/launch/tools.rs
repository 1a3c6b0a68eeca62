//! The tools, each with the fields of its kind.

use app::launch::control_name::dom_id;
use app::launch::draft::control_text::text_at;
use app::launch::draft::{answerers, apply};
use app::launch::{Check, CheckKind, CheckState, ControlName, Verb};
use app::model::launch::{Button, CheckLine, Control, Item, Tone};
use protocol::fields::{self, TOOL_KINDS, ToolKind};
use serde_json::Value;

use super::controls::{PageBuilder, area, button, buttons, checkbox, fold, line, line_with_datalist, note, with_help};
use crate::launch::{Choice, Offer};

/// Tools with controls. A page with thousands of them could not be used.
const MAX_SHOWN: usize = 100;

impl PageBuilder<'_> {
    pub fn tools(&self) -> Vec<Item> {
        let count = self.spec()["tools"].as_array().map_or(0, Vec::len);
        let mut items: Vec<Item> = self.undo().into_iter().flatten().collect();
        items.extend((0..count.min(MAX_SHOWN)).map(|i| self.tool(i)));
        if count > MAX_SHOWN {
            items.push(note(format!("{} more tools. Edit them in the JSON.", count - MAX_SHOWN)));
        }
        items.extend(self.session_tools());
        let choices =
            |offer: &Offer<Choice>| offer.items.iter().map(|choice| (choice.id.clone(), choice.name.clone())).collect();
        let commands = self.catalogue.mcp_commands.iter().map(|command| (command.clone(), String::new())).collect();
        for (id, values) in [
            ("workspace-tools", choices(&self.catalogue.tools)),
            ("plugin-tools", choices(&self.catalogue.plugins)),
            ("mcp-commands", commands),
        ] {
            items.push(Item::Datalist { id: id.to_owned(), values });
        }
        let add = |kind: &ToolKind| Button {
            hint: kind.help.to_owned(),
            ..button(Verb::AddTool.of(kind.name), kind.label, "")
        };
        let kinds = vec![Item::Buttons { buttons: TOOL_KINDS.iter().map(add).collect() }];
        items.push(fold("fold-add-tool".to_owned(), "Add a tool", count == 0, kinds));
        items
    }

    fn undo(&self) -> Option<[Item; 2]> {
        let removed = self.draft.unfinished.removed_tool.as_ref()?;
        let name = Some(removed.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| "The tool".to_owned());
        let undo = button(Verb::UndoRemove, "Undo", &format!("bring back {name}"));
        Some([note(format!("{name} is removed.")), buttons(undo)])
    }

    fn tool(&self, index: usize) -> Item {
        let place = format!("/tools/{index}");
        let text = |field: &str| text_at(self.spec(), &format!("{place}/{field}"));
        let kind = TOOL_KINDS.iter().find(|kind| kind.name == text("kind"));
        let name = Some(text("name")).filter(|name| !name.is_empty()).unwrap_or_else(|| text("id"));
        let about = if name.is_empty() { format!("tool {}", index + 1) } else { name.clone() };
        let id = self.anchor(&place, &place);
        let mut items = self.items(self.fields.fields_of("/tools/*"), &place);
        // The tools of a local MCP server have a responder each.
        if kind.is_some_and(|kind| kind.is_local && kind.name != "mcp_local") {
            items.extend(self.answerer_fields(&text("name")));
        }
        let remove = Verb::Remove.of(&place);
        items.push(buttons(button(remove, "Remove", &about)));
        let check = self.draft.last_action.tool_checks.iter().find(|check| check.path == place);
        Item::Group {
            id,
            title: match (kind, name.is_empty()) {
                (Some(kind), true) => kind.label.to_owned(),
                (Some(kind), false) => format!("{name} · {}", kind.label),
                (None, _) => format!("{about} · unknown kind"),
            },
            hint: kind.map(|kind| kind.help.to_owned()).unwrap_or_default(),
            checks: check.map(|check| check.checks.iter().map(check_line).collect()).unwrap_or_default(),
            items,
        }
    }

    /// A text line that offers the tools of the workspace or of its plugins.
    pub fn offered(&self, pointer: &str, label: &str, offer: &Offer<Choice>, list: &str) -> Vec<Item> {
        let value = text_at(self.spec(), pointer);
        let chosen = offer.items.iter().find(|choice| choice.id == value);
        let help = match (&offer.unavailable, chosen) {
            (Some(why), _) => format!("{why} Enter its id."),
            (None, Some(choice)) => choice.description.clone(),
            (None, None) => format!("{} to pick from.", offer.items.len()),
        };
        vec![with_help(self.spec_field(pointer, label, line_with_datalist(value, list)), &help)]
    }

    /// The tools of a remote MCP server that the model may use: checkboxes once they are discovered.
    pub fn tool_filter(&self, pointer: &str, field: &fields::Field) -> Vec<Item> {
        let place = pointer.trim_end_matches("/toolFilter");
        let names = match self.draft.last_action.discovered_tools.contains_key(place) {
            true => self.tool_checkboxes(place, pointer),
            false => {
                let control = area(app::launch::draft::control_text::lines_at(self.spec(), pointer), 3, "");
                with_help(self.spec_field(pointer, field.label, control), field.help)
            }
        };
        vec![discover(place), names]
    }

    fn tool_checkboxes(&self, place: &str, filter: &str) -> Item {
        let server = text_at(self.spec(), &format!("{place}/name"));
        let chosen = self.spec().pointer(filter).and_then(Value::as_array);
        let found = self.draft.last_action.discovered_tools.get(place).map(Vec::as_slice).unwrap_or_default();
        let one = |name: &String| {
            let checked = chosen.is_none_or(|list| list.iter().any(|chosen| chosen == name.as_str()));
            let place = format!("{filter}#{name}");
            let field = self.field(&ControlName::checkbox(filter, name), &place, name, checkbox(checked));
            let help = match found.iter().find(|tool| tool.name == *name) {
                Some(tool) => format!("{} The model sees {server}_{name}.", tool.description),
                None => "The server does not have it.".to_owned(),
            };
            with_help(field, help.trim())
        };
        let present = Control::Hidden { value: "present".to_owned() };
        let present = self.field(&ControlName::Checkboxes(filter.to_owned()), filter, "", present);
        let offered = apply::offered_tools(self.draft, place);
        Item::Group {
            id: self.anchor(&format!("{filter}-list"), filter),
            title: format!("{} tools found", found.len()),
            hint: "Uncheck what the model should not use.".to_owned(),
            checks: Vec::new(),
            items: std::iter::once(Item::Field(present)).chain(offered.iter().map(one)).collect(),
        }
    }

    /// The tools of a local MCP server: discovered, or pasted as JSON.
    pub fn tool_list(&self, pointer: &str, field: &fields::Field) -> Vec<Item> {
        let place = pointer.trim_end_matches("/tools");
        let source = self.draft.unfinished.sources.get(place).cloned().unwrap_or_default();
        let part = |part: &str, label: &str, control: Control| {
            Item::Field(self.field(&ControlName::source(place, part), &format!("{place}#{part}"), label, control))
        };
        let mut from = vec![part("url", "Discover from the address", line(source.url))];
        if !self.catalogue.mcp_commands.is_empty() {
            from.push(part("command", "Or from a command", line_with_datalist(source.command, "mcp-commands")));
        }
        let mut items = vec![Item::Row { items: from }, self.source_header(place), discover(place)];
        let listed = self.spec().pointer(pointer).and_then(Value::as_array);
        for (index, tool) in listed.into_iter().flatten().enumerate() {
            let at = format!("{pointer}/{index}");
            let name = text_at(tool, "/name");
            let name_field = self.spec_field(&format!("{at}/name"), "Name", line(&name));
            let mut own = vec![with_help(name_field, &text_at(tool, "/description"))];
            own.extend(self.answerer_fields(&name));
            let remove = Verb::Remove.of(&at);
            own.push(buttons(button(remove, "Remove", &name)));
            let title = if name.is_empty() { format!("Tool {}", index + 1) } else { name };
            items.push(fold(dom_id(&format!("fold{at}")), title, self.error_inside(&at).is_some(), own));
        }
        let json = self.json(pointer, field.label, field.help, 6);
        let open = listed.is_none() || self.error(pointer).is_some();
        items.push(fold(dom_id(&format!("fold{place}/list")), "The list as JSON", open, vec![json]));
        items
    }

    /// Answerers for the local tools of a message's session.
    fn session_tools(&self) -> Option<Item> {
        let names = answerers::session_only_tools(self.draft);
        let checks = self.draft.last_action.tool_checks.iter().filter(|check| check.path.starts_with("/session/"));
        (!names.is_empty()).then(|| Item::Group {
            id: self.anchor("session-tools", "/session/tools"),
            title: "Local tools of the session".to_owned(),
            hint: "They come with the session. Choose who answers them in this message.".to_owned(),
            checks: checks.flat_map(|check| &check.checks).map(check_line).collect(),
            items: names.iter().flat_map(|name| self.answerer_fields(name)).collect(),
        })
    }
}

fn discover(place: &str) -> Item {
    buttons(button(Verb::DiscoverTools.of(place), "Discover its tools", ""))
}

fn check_line(check: &Check) -> CheckLine {
    CheckLine {
        tone: match check.state {
            CheckState::Passed => Tone::Success,
            CheckState::Unknown => Tone::Info,
            CheckState::Warning => Tone::Warning,
            CheckState::Failed => Tone::Error,
        },
        label: match check.kind {
            CheckKind::Shape => "Shape",
            CheckKind::Reachable => "Reachable",
            CheckKind::Listed => "Listed",
            CheckKind::Answered => "Answered",
        }
        .to_owned(),
        message: check.message.clone(),
        fix: check.fix.clone().unwrap_or_default(),
    }
}
