//! The section for tools, with fields for each kind.

use app::launch::draft::control_text::text_at;
use app::launch::draft::error_placement::dom_id;
use app::launch::draft::{answerers, apply};
use app::launch::{Check, CheckKind, CheckState};
use app::model::launch::{Button, CheckLine, Control, Field, Item, Section, Tone};
use serde_json::Value;

use super::controls::{PageBuilder, button, line, line_with_datalist, note, with_help};
use crate::launch::{Choice, Offer};

struct Kind {
    name: &'static str,
    label: &'static str,
    help: &'static str,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "mantyx",
        label: "A tool of the workspace",
        help: "Set up in MANTYX and called by it. Pick it from the list, or write its id.",
    },
    Kind {
        name: "mantyx_plugin",
        label: "A tool of a plugin",
        help: "Comes with a plugin that the workspace has installed, written @plugin/tool.",
    },
    Kind {
        name: "local",
        label: "A tool answered from here",
        help: "The model calls it, and you answer in the run's page, or it answers itself as you say below.",
    },
    Kind {
        name: "a2a",
        label: "Another agent that MANTYX calls",
        help: "An agent that speaks A2A at a public address. MANTYX reads its card and talks to it.",
    },
    Kind {
        name: "a2a_local",
        label: "Another agent, answered from here",
        help: "An agent that only this server reaches, or that you play yourself. The model sees its card.",
    },
    Kind {
        name: "mcp",
        label: "Tools of a remote MCP server",
        help: "MANTYX connects to the server and calls its tools. Tick those that the model may use.",
    },
    Kind {
        name: "mcp_local",
        label: "Tools of an MCP server, answered from here",
        help: "The model sees the server's tools; the calls come here. Discover them, or paste a tools/list.",
    },
];

impl PageBuilder<'_> {
    pub fn tools(&self) -> Section {
        let count = self.spec()["tools"].as_array().map_or(0, Vec::len);
        let mut items: Vec<Item> = self.undo().into_iter().flatten().collect();
        items.extend((0..count).map(|i| self.tool(i)));
        items.extend(self.session_tools());
        items.push(Item::Datalist { id: "workspace-tools".to_owned(), values: choices(&self.catalogue.tools) });
        items.push(Item::Datalist { id: "plugin-tools".to_owned(), values: choices(&self.catalogue.plugins) });
        let commands = self.catalogue.mcp_commands.iter().map(|command| (command.clone(), String::new())).collect();
        items.push(Item::Datalist { id: "mcp-commands".to_owned(), values: commands });
        let add = |kind: &Kind| Button {
            value: format!("add:{}", kind.name),
            label: kind.label.to_owned(),
            about: String::new(),
            hint: kind.help.to_owned(),
            danger: false,
            disabled: false,
        };
        items.push(Item::Fold {
            id: "fold-add-tool".to_owned(),
            title: "Add a tool".to_owned(),
            open: count == 0,
            items: vec![Item::Buttons { buttons: KINDS.iter().map(add).collect() }],
        });
        let intro = if count == 0 { "None yet. A run without tools answers from what the model knows." } else { "" };
        Section { id: "tools".to_owned(), title: "Which tools?".to_owned(), intro: intro.to_owned(), items }
    }

    fn undo(&self) -> Option<[Item; 2]> {
        let removed = self.draft.removed_tool.as_ref()?;
        let name = Some(removed.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| "The tool".to_owned());
        let undo = button("undo-remove", "Undo", &format!("bring back {name}"));
        Some([note(format!("{name} is removed.")), Item::Buttons { buttons: vec![undo] }])
    }

    fn tool(&self, i: usize) -> Item {
        let place = format!("/tools/{i}");
        let id = self.anchor(&place, &place);
        let at = |field: &str| format!("{place}/{field}");
        let text = |field: &str| text_at(self.spec(), &at(field));
        let kind = KINDS.iter().find(|kind| kind.name == text("kind"));
        let name = Some(text("name")).filter(|name| !name.is_empty()).unwrap_or_else(|| text("id"));
        let mut items = match kind.map(|kind| kind.name) {
            Some("mantyx") => vec![self.offered(&at("id"), "Tool", &self.catalogue.tools, "workspace-tools")],
            Some("mantyx_plugin") => vec![self.offered(&at("name"), "Tool", &self.catalogue.plugins, "plugin-tools")],
            Some("local") => self.local_tool(&place),
            Some("a2a") => self.remote_agent(&place),
            Some("a2a_local") => self.local_agent(&place),
            Some("mcp") => self.mcp_server(&place),
            Some("mcp_local") => self.mcp_catalogue(&place),
            _ => vec![
                self.text(&at("kind"), "Kind", "The form does not know this kind; its fields are kept as they are."),
                self.text(&at("name"), "Name", ""),
            ],
        };
        let about = if name.is_empty() { format!("tool {}", i + 1) } else { name.clone() };
        items.push(Item::Buttons { buttons: vec![button(format!("drop:{place}"), "Remove", &about)] });
        let check = self.draft.tool_checks.iter().find(|check| check.path == place);
        Item::Group {
            id,
            title: match (kind, name.is_empty()) {
                (Some(kind), true) => kind.label.to_owned(),
                (Some(kind), false) => format!("{name} · {}", kind.label),
                (None, _) => format!("{about} · of an unknown kind"),
            },
            hint: kind.map(|kind| kind.help.to_owned()).unwrap_or_default(),
            checks: check.map(|check| check.checks.iter().map(check_line).collect()).unwrap_or_default(),
            items,
        }
    }

    fn offered(&self, pointer: &str, label: &str, offer: &Offer<Choice>, list: &str) -> Item {
        let value = text_at(self.spec(), pointer);
        let chosen = offer.items.iter().find(|choice| choice.id == value);
        let help = match (&offer.unavailable, chosen) {
            (Some(why), _) => format!("{why} Write its id."),
            (None, Some(choice)) => choice.description.clone(),
            (None, None) => format!("{} to pick from.", offer.items.len()),
        };
        self.text_with_datalist(pointer, label, &help, list)
    }

    pub fn name(&self, place: &str) -> Item {
        self.text(&format!("{place}/name"), "Name", "What the model calls it: letters, digits and _, at most 64.")
    }

    pub fn description(&self, place: &str) -> Item {
        self.area(&format!("{place}/description"), "Description", "What the model is told about it.", 2, "")
    }

    fn local_tool(&self, place: &str) -> Vec<Item> {
        let at = |field: &str| format!("{place}/{field}");
        let mut items = vec![self.name(place), self.description(place)];
        items.extend(self.schema(&at("parameters"), "Parameters", "what the model has to say when it calls it."));
        let mut more = self.schema(&at("outputSchema"), "Result", "what it answers with, where that is fixed.");
        more.push(Item::Row {
            items: vec![
                self.checkbox(&at("longRunning"), "Takes long", "The model is told to expect that."),
                self.checkbox(&at("readOnly"), "Only reads", "Neighbouring calls go out together."),
                self.checkbox(&at("retain"), "Retain its results in the session", ""),
            ],
        });
        let open =
            self.spec().pointer(&at("outputSchema")).is_some() || self.error_inside(&at("outputSchema")).is_some();
        items.push(Item::Fold {
            id: dom_id(&format!("fold{place}")),
            title: "Result and flags".to_owned(),
            open,
            items: more,
        });
        items.extend(self.answerer_fields(&text_at(self.spec(), &at("name"))));
        items
    }

    fn mcp_server(&self, place: &str) -> Vec<Item> {
        let at = |field: &str| format!("{place}/{field}");
        let mut items = vec![
            self.name(place),
            self.text(&at("url"), "Address", "Of its Streamable HTTP endpoint, such as https://mcp.example.com/mcp"),
            self.headers(place),
            Item::Buttons { buttons: vec![button(format!("discover:{place}"), "Discover its tools", "")] },
        ];
        let filter = at("toolFilter");
        if self.draft.discovered_tools.contains_key(place) {
            items.push(self.tool_checkboxes(place, &filter));
        } else {
            let help = "The names of the tools that the model may use, one on each line. Left empty: all of them.";
            items.push(self.lines(&filter, "Only these tools", help));
        }
        items
    }

    fn tool_checkboxes(&self, place: &str, filter: &str) -> Item {
        let server = text_at(self.spec(), &format!("{place}/name"));
        let chosen = self.spec().pointer(filter).and_then(Value::as_array);
        let found = self.draft.discovered_tools.get(place).map(Vec::as_slice).unwrap_or_default();
        let checkbox = |name: &String| {
            let checked = chosen.is_none_or(|list| list.iter().any(|chosen| chosen == name.as_str()));
            let field = self.field(
                format!("c{filter}#{name}"),
                &format!("{filter}#{name}"),
                name,
                Control::Checkbox { value: "true".to_owned(), checked },
            );
            let known = found.iter().find(|tool| tool.name == *name);
            let visible_as = format!("The model sees {server}_{name}.");
            let help = known.map_or_else(
                || "The server does not have it.".to_owned(),
                |tool| format!("{} {visible_as}", tool.description),
            );
            with_help(field, help.trim())
        };
        let offered = apply::offered_tools(self.draft, place);
        let asked = self.field(
            format!("c{filter}"),
            filter,
            "",
            Control::Checkbox { value: "asked".to_owned(), checked: true },
        );
        let mut items = vec![Item::Field(Field { control: hidden(), ..asked })];
        items.extend(offered.iter().map(checkbox));
        Item::Group {
            id: self.anchor(&format!("{filter}-list"), filter),
            title: format!("{} tools found", found.len()),
            hint: "Untick what the model should not use.".to_owned(),
            checks: Vec::new(),
            items,
        }
    }

    fn mcp_catalogue(&self, place: &str) -> Vec<Item> {
        let source = self.draft.sources.get(place).cloned().unwrap_or_default();
        let field = |part: &str, label: &str, control: Control| {
            Item::Field(self.field(format!("s{place}#{part}"), &format!("{place}#{part}"), label, control))
        };
        let mut from = vec![field("url", "Discover from the address", line(source.url))];
        if !self.catalogue.mcp_commands.is_empty() {
            from.push(field("command", "Or from a command", line_with_datalist(source.command, "mcp-commands")));
        }
        let mut items = vec![
            self.name(place),
            Item::Row { items: from },
            self.source_header(place),
            Item::Buttons { buttons: vec![button(format!("discover:{place}"), "Discover its tools", "")] },
        ];
        let listed = self.spec().pointer(&format!("{place}/tools")).and_then(Value::as_array);
        for (j, tool) in listed.into_iter().flatten().enumerate() {
            let at = format!("{place}/tools/{j}");
            let name = text_at(tool, "/name");
            let mut own = vec![self.text(&format!("{at}/name"), "Name", &text_at(tool, "/description"))];
            own.extend(self.answerer_fields(&name));
            own.push(Item::Buttons { buttons: vec![button(format!("drop:{at}"), "Take out", &name)] });
            items.push(Item::Fold {
                id: dom_id(&format!("fold{at}")),
                title: if name.is_empty() { format!("Tool {}", j + 1) } else { name },
                open: self.error_inside(&at).is_some(),
                items: own,
            });
        }
        let open = listed.is_none() || self.error(&format!("{place}/tools")).is_some();
        items.push(Item::Fold {
            id: dom_id(&format!("fold{place}/list")),
            title: "The list as JSON".to_owned(),
            open,
            items: vec![
                self.json(&format!("{place}/tools"), "Tools", "Paste what the server answers to tools/list.", 6),
                self.json(&format!("{place}/serverInfo"), "About the server (optional)", "", 2),
            ],
        });
        items
    }

    /// Answerers for the local tools of a message's session.
    fn session_tools(&self) -> Option<Item> {
        let names = answerers::session_only_tools(self.draft);
        let checks = self.draft.tool_checks.iter().filter(|check| check.path.starts_with("/session/"));
        (!names.is_empty()).then(|| Item::Group {
            id: self.anchor("session-tools", "/session/tools"),
            title: "Tools of the session, answered from here".to_owned(),
            hint: "They come with the session. Say who answers them in this message.".to_owned(),
            checks: checks.flat_map(|check| &check.checks).map(check_line).collect(),
            items: names.iter().flat_map(|name| self.answerer_fields(name)).collect(),
        })
    }

    pub fn headers(&self, place: &str) -> Item {
        let pointer = format!("{place}/headers");
        let mut items = self.map(&pointer, ("Header", "Value"), ("", |_: &str| String::new()), true);
        items.insert(
            0,
            note("Sent along to the server, for credentials. Values are kept encrypted and are not passed on."),
        );
        let open = self.spec().pointer(&pointer).is_some() || self.error_inside(&pointer).is_some();
        Item::Fold { id: dom_id(&format!("fold{pointer}")), title: "Headers".to_owned(), open, items }
    }
}

/// Says that the form has checkboxes, also if none is checked.
fn hidden() -> Control {
    Control::Hidden { value: "asked".to_owned() }
}

fn choices(offer: &Offer<Choice>) -> Vec<(String, String)> {
    offer.items.iter().map(|choice| (choice.id.clone(), choice.name.clone())).collect()
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
