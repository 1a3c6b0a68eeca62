//! The tools: a card for each, with the fields of its kind.

use app::launch::control_name::dom_id;
use app::launch::draft::control_text::{lines_at, text_at};
use app::launch::draft::{answerers, apply};
use app::launch::{Check, CheckKind, ControlKind, ToolCheck};
use app::model::launch::Tone;
use protocol::fields::{self, TOOL_KINDS, ToolKind};
use serde_json::Value;

use super::controls::{PageBuilder, area, button, buttons, checkbox, fold, line, note};
use super::items::{Button, Group, GroupRole, Item};
use crate::launch::form::Verb;

/// Tools with controls. A page with thousands of them could not be used.
const MAX_SHOWN: usize = 100;

impl PageBuilder<'_> {
    pub fn tools(&self) -> Vec<Item> {
        let count = self.spec()["tools"].as_array().map_or(0, Vec::len);
        let mut items: Vec<Item> = self.undo().into_iter().flatten().collect();
        items.extend((0..count.min(MAX_SHOWN)).map(|i| self.tool(i, count)));
        if count > MAX_SHOWN {
            items.push(note(format!("{} more tools. Edit them in the JSON.", count - MAX_SHOWN)));
        }
        items.extend(self.session_tools());
        items.push(Item::Datalist { id: "mcp-commands".to_owned(), values: self.catalogue.mcp_commands.clone() });
        let add = |kind: &ToolKind| Button {
            hint: kind.help.to_owned(),
            ..button(Verb::AddTool.of(kind.name), kind.label, "")
        };
        let kinds = vec![Item::Buttons(TOOL_KINDS.iter().map(add).collect())];
        // The browser keeps a fold open by its id. With the number of tools in it, it closes when one is added.
        items.push(fold(format!("fold-add-tool-{count}"), "Add a tool", count == 0, kinds));
        items
    }

    fn undo(&self) -> Option<[Item; 2]> {
        let removed = self.draft.unfinished.removed_tool.as_ref()?;
        let name = Some(removed.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| "The tool".to_owned());
        let undo = button(Verb::UndoRemove, "Undo", &format!("bring back {name}"));
        Some([note(format!("{name} is removed.")), buttons(undo)])
    }

    /// A card. The only one is open, and so is one that needs attention.
    fn tool(&self, index: usize, count: usize) -> Item {
        let place = format!("/tools/{index}");
        let text = |field: &str| text_at(self.spec(), &format!("{place}/{field}"));
        let kind = TOOL_KINDS.iter().find(|kind| kind.name == text("kind"));
        let name = Some(text("name")).filter(|name| !name.is_empty()).unwrap_or_else(|| text("id"));
        let about = if name.is_empty() { format!("tool {}", index + 1) } else { name.clone() };
        let mut items = self.items(self.fields.fields_of("/tools/*"), &place);
        // The tools of a local MCP server have a responder each.
        if kind.is_some_and(|kind| kind.is_local() && kind.name != "mcp_local") {
            items.extend(self.answerer_fields(&text("name")));
        }
        items.push(buttons(button(Verb::Remove.of(&place), "Remove", &about)));
        let check = self.draft.last_action.tool_checks.iter().find(|check| check.path == place);
        let has_error = self.error_inside(&place).is_some() || self.error_inside(&format!("/answers/{name}")).is_some();
        let state = match check {
            _ if has_error => "has an error",
            _ if name.is_empty() => "has no name yet",
            Some(check) => check_state(check),
            None => self.responder(kind, &name),
        };
        Item::Group(Group {
            id: dom_id(&place),
            role: GroupRole::Card,
            title: if name.is_empty() { format!("Tool {}", index + 1) } else { name.clone() },
            summary: format!("{} · {state}", kind.map_or("Unknown kind", |kind| kind.label)),
            open: Some(count == 1 || name.is_empty() || has_error),
            replaced: self.replaced(index, count),
            hint: kind.map(|kind| kind.help.to_owned()).unwrap_or_default(),
            checks: check.map(|check| check.checks.clone()).unwrap_or_default(),
            items,
        })
    }

    /// After a tool is removed, each later one has the id of the one before it.
    fn replaced(&self, index: usize, count: usize) -> Option<String> {
        let removed = self.draft.unfinished.removed_tool.as_ref();
        removed.filter(|removed| removed.list == "/tools" && removed.at <= index).map(|_| count.to_string())
    }

    fn responder(&self, kind: Option<&ToolKind>, tool: &str) -> &'static str {
        match kind {
            Some(kind) if kind.name == "mcp_local" => "answered from here",
            Some(kind) if kind.is_local() => match self.draft.answers.get(tool).map_or("hand", answerers::choice_of) {
                "hand" => "you answer",
                "canned" => "a canned reply answers",
                "a2a" => "an agent answers",
                _ => "an MCP server answers",
            },
            Some(_) => "MANTYX calls it",
            None => "sent unchanged",
        }
    }

    /// The tools of a remote MCP server that the model may use: checkboxes once they are discovered.
    pub fn tool_filter(&self, pointer: &str, field: &fields::Field) -> Vec<Item> {
        let place = pointer.trim_end_matches("/toolFilter");
        let names = match self.draft.last_action.discovered_tools.contains_key(place) {
            true => self.tool_checkboxes(place, pointer),
            false => {
                let control = area(lines_at(self.spec(), pointer), 3, "");
                self.spec_control(pointer, field.label, field.help, control)
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
            let help = match found.iter().find(|tool| tool.name == *name) {
                Some(tool) => format!("{} The model sees {server}_{name}.", tool.description),
                None => "The server does not have it.".to_owned(),
            };
            self.control(ControlKind::Checkbox.part(filter, name), name, help.trim(), checkbox(checked))
        };
        Item::Group(Group {
            id: dom_id(filter),
            role: GroupRole::Card,
            title: format!("{} tools found", found.len()),
            hint: "Uncheck what the model should not use.".to_owned(),
            items: apply::offered_tools(self.draft, place).iter().map(one).collect(),
            ..Group::default()
        })
    }

    /// The tools of a local MCP server: discovered, or pasted as JSON.
    pub fn tool_list(&self, pointer: &str, field: &fields::Field) -> Vec<Item> {
        let place = pointer.trim_end_matches("/tools");
        let mut from = vec![self.source(place, "url", "Discover from the address", "", "")];
        if !self.catalogue.mcp_commands.is_empty() {
            from.push(self.source(place, "command", "Or from a command", "", "mcp-commands"));
        }
        let mut items = vec![Item::Row(from), self.source_header(place), discover(place)];
        let listed = self.spec().pointer(pointer).and_then(Value::as_array);
        for (index, tool) in listed.into_iter().flatten().enumerate() {
            let at = format!("{pointer}/{index}");
            let name = text_at(tool, "/name");
            let description = text_at(tool, "/description");
            let mut own = vec![self.spec_control(&format!("{at}/name"), "Name", &description, line(&name))];
            own.extend(self.answerer_fields(&name));
            own.push(buttons(button(Verb::Remove.of(&at), "Remove", &name)));
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
        let group = || Group {
            id: "session-tools".to_owned(),
            role: GroupRole::Card,
            title: "Local tools of the session".to_owned(),
            hint: "They come with the session. Choose who answers them in this message.".to_owned(),
            checks: checks.flat_map(|check| check.checks.clone()).collect(),
            items: names.iter().flat_map(|name| self.answerer_fields(name)).collect(),
            ..Group::default()
        };
        (!names.is_empty()).then(|| Item::Group(group()))
    }
}

fn discover(place: &str) -> Item {
    buttons(button(Verb::DiscoverTools.of(place), "Discover its tools", ""))
}

fn check_state(check: &ToolCheck) -> &'static str {
    match check.checks.iter().map(|check| check.state).max() {
        Some(Tone::Error) => "a check failed",
        Some(Tone::Warning) => "a check warns",
        _ => "checked",
    }
}

/// Returns the result of a tool's checks, under its name: the most serious one.
pub fn check_result(tool: &ToolCheck) -> (String, Check) {
    let worst = tool.checks.iter().max_by_key(|check| check.state).filter(|check| check.state != Tone::Success);
    (tool.name.clone(), worst.cloned().unwrap_or_else(|| CheckKind::Answered.passed("All checks passed.")))
}
