//! The tools, each kind with a form of its own.

use app::launch::sheet::{Button, Control, Item, Section, SheetLight, Tone};
use app::launch::{Choice, Light, LightState, Offer, Question};
use serde_json::Value;

use super::super::apply;
use super::super::place::shown_text;
use super::{Draw, button, dom_id, helped, line, line_of, note};

/// A kind of tool, in plain words.
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

impl Draw<'_> {
    pub fn tools(&self) -> Section {
        let count = self.spec()["tools"].as_array().map_or(0, Vec::len);
        let mut items: Vec<Item> = self.undo().into_iter().flatten().collect();
        items.extend((0..count).map(|i| self.tool(i)));
        items.extend(self.tools_of_session());
        items.push(Item::Choices { id: "workspace-tools".to_owned(), values: choices(&self.catalogue.tools) });
        items.push(Item::Choices { id: "plugin-tools".to_owned(), values: choices(&self.catalogue.plugins) });
        let commands = self.catalogue.mcp_commands.iter().map(|command| (command.clone(), String::new())).collect();
        items.push(Item::Choices { id: "mcp-commands".to_owned(), values: commands });
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

    /// The tool that was removed last can be had back.
    fn undo(&self) -> Option<[Item; 2]> {
        let removed = self.work.removed.as_ref()?;
        let name = Some(removed.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| "The tool".to_owned());
        let undo = button("undo-remove", "Undo", &format!("bring back {name}"));
        Some([note(format!("{name} is removed.")), Item::Buttons { buttons: vec![undo] }])
    }

    fn tool(&self, i: usize) -> Item {
        let place = format!("/tools/{i}");
        let id = self.anchor(&place, &place);
        let at = |field: &str| format!("{place}/{field}");
        let text = |field: &str| shown_text(self.spec(), &at(field));
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
        let check = self.work.checks.iter().find(|check| check.path == place);
        Item::Group {
            id,
            title: match (kind, name.is_empty()) {
                (Some(kind), true) => kind.label.to_owned(),
                (Some(kind), false) => format!("{name} · {}", kind.label),
                (None, _) => format!("{about} · of an unknown kind"),
            },
            hint: kind.map(|kind| kind.help.to_owned()).unwrap_or_default(),
            lights: check.map(|check| check.lights.iter().map(in_lights).collect()).unwrap_or_default(),
            items,
        }
    }

    fn offered(&self, pointer: &str, label: &str, offer: &Offer<Choice>, list: &str) -> Item {
        let value = shown_text(self.spec(), pointer);
        let chosen = offer.items.iter().find(|choice| choice.id == value);
        let help = match (&offer.unavailable, chosen) {
            (Some(why), _) => format!("{why} Write its id."),
            (None, Some(choice)) => choice.description.clone(),
            (None, None) => format!("{} to pick from.", offer.items.len()),
        };
        self.text_of(pointer, label, &help, list)
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
                self.tick(&at("longRunning"), "Takes long", "The model is told to expect that."),
                self.tick(&at("readOnly"), "Only reads", "Neighbouring calls go out together."),
                self.tick(&at("retain"), "Retain its results in the session", ""),
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
        items.extend(self.answering(&shown_text(self.spec(), &at("name"))));
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
        if self.work.found.contains_key(place) {
            items.push(self.ticks(place, &filter));
        } else {
            let help = "The names of the tools that the model may use, one on each line. Left empty: all of them.";
            items.push(self.lines(&filter, "Only these tools", help));
        }
        items
    }

    fn ticks(&self, place: &str, filter: &str) -> Item {
        let server = shown_text(self.spec(), &format!("{place}/name"));
        let chosen = self.spec().pointer(filter).and_then(Value::as_array);
        let found = self.work.found.get(place).map(Vec::as_slice).unwrap_or_default();
        let tick = |name: &String| {
            let ticked = chosen.is_none_or(|list| list.iter().any(|chosen| chosen == name.as_str()));
            let field = self.field(
                format!("c{filter}#{name}"),
                &format!("{filter}#{name}"),
                name,
                Control::Tick { value: "true".to_owned(), ticked },
            );
            let known = found.iter().find(|tool| tool.name == *name);
            let seen = format!("The model sees {server}_{name}.");
            let help = known.map_or_else(
                || "The server does not have it.".to_owned(),
                |tool| format!("{} {seen}", tool.description),
            );
            helped(field, help.trim())
        };
        let offered = apply::offered(self.work, place);
        let asked =
            self.field(format!("c{filter}"), filter, "", Control::Tick { value: "asked".to_owned(), ticked: true });
        let mut items = vec![Item::Field(app::launch::sheet::Field { control: hidden(), ..asked })];
        items.extend(offered.iter().map(tick));
        Item::Group {
            id: self.anchor(&format!("{filter}-list"), filter),
            title: format!("{} tools found", found.len()),
            hint: "Untick what the model should not use.".to_owned(),
            lights: Vec::new(),
            items,
        }
    }

    fn mcp_catalogue(&self, place: &str) -> Vec<Item> {
        let source = self.work.sources.get(place).cloned().unwrap_or_default();
        let field = |part: &str, label: &str, control: Control| {
            Item::Field(self.field(format!("s{place}#{part}"), &format!("{place}#{part}"), label, control))
        };
        let mut from = vec![field("url", "Discover from the address", line(source.url))];
        if !self.catalogue.mcp_commands.is_empty() {
            from.push(field("command", "Or from a command", line_of(source.command, "mcp-commands")));
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
            let name = shown_text(tool, "/name");
            let mut own = vec![self.text(&format!("{at}/name"), "Name", &shown_text(tool, "/description"))];
            own.extend(self.answering(&name));
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

    /// Who answers the tools that a message finds in its session.
    fn tools_of_session(&self) -> Option<Item> {
        let names = super::super::answering::of_session(self.work);
        let checks = self.work.checks.iter().filter(|check| check.path.starts_with("/session/"));
        (!names.is_empty()).then(|| Item::Group {
            id: self.anchor("session-tools", "/session/tools"),
            title: "Tools of the session, answered from here".to_owned(),
            hint: "They come with the session. Say who answers them in this message.".to_owned(),
            lights: checks.flat_map(|check| &check.lights).map(in_lights).collect(),
            items: names.iter().flat_map(|name| self.answering(name)).collect(),
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

/// A field that only says that something was asked.
fn hidden() -> Control {
    Control::Hidden { value: "asked".to_owned() }
}

fn choices(offer: &Offer<Choice>) -> Vec<(String, String)> {
    offer.items.iter().map(|choice| (choice.id.clone(), choice.name.clone())).collect()
}

fn in_lights(light: &Light) -> SheetLight {
    SheetLight {
        tone: match light.state {
            LightState::Good => Tone::Success,
            LightState::Unknown => Tone::Info,
            LightState::Warning => Tone::Warning,
            LightState::Bad => Tone::Error,
        },
        what: match light.what {
            Question::Shape => "Shape",
            Question::Reachable => "Reachable",
            Question::Listed => "Listed",
            Question::Answered => "Answered",
        }
        .to_owned(),
        message: light.message.clone(),
        fix: light.fix.clone().unwrap_or_default(),
    }
}
