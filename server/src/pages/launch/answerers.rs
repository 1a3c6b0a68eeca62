//! Fields for the answerer of a local tool.

use app::launch::draft::answerers;
use app::model::launch::{Control, Item};
use domain::{Answerer, Headers, McpEndpoint, McpTool};

use super::controls::{PageBuilder, line, line_with_datalist, note, options_with, with_help};

impl PageBuilder<'_> {
    pub fn answerer_fields(&self, tool: &str) -> Vec<Item> {
        if !protocol::ids::is_tool_name(tool) {
            return vec![note("Who answers it can be chosen once it has a name.")];
        }
        let answerer = self.draft.answers.get(tool).cloned().unwrap_or_default();
        let part = |part: &str, label: &str, control: Control, help: &str| {
            let name = format!("a:{tool}:{part}");
            with_help(self.field(name, &format!("/answers/{tool}#{part}"), label, control), help)
        };
        let mut words = vec![
            ("hand", "I do, in the run's page"),
            ("canned", "A reply that I write now"),
            ("mcp", "An MCP server that this server reaches"),
            ("a2a", "An A2A agent that this server reaches"),
        ];
        if !self.catalogue.mcp_commands.is_empty() {
            words.push(("command", "An MCP server started here"));
        }
        let by = answerers::choice_of(&answerer).to_owned();
        let options = options_with(&by, &words);
        let mut who = self.field(
            format!("a:{tool}:by"),
            &format!("/answers/{tool}"),
            &format!("Who answers {tool}?"),
            Control::Select { value: by, options },
        );
        who.error = self.error_inside(&format!("/answers/{tool}"));
        let mut items = vec![Item::Field(who)];
        match answerer {
            Answerer::Hand => {}
            Answerer::Canned(reply) => {
                let area = Control::TextArea { value: reply.text, placeholder: String::new(), rows: 3, code: true };
                items.push(part("text", "Reply", area, "{{args.path}} stands for an argument of the call."));
                let delay = Control::TextLine {
                    value: match self.draft.invalid_texts.get(&format!("a:{tool}:delay")) {
                        Some(text) => text.clone(),
                        None if reply.delay_ms == 0 => String::new(),
                        None => reply.delay_ms.to_string(),
                    },
                    placeholder: "0".to_owned(),
                    datalist: String::new(),
                    secret: false,
                };
                let failed = Control::Checkbox { value: "true".to_owned(), checked: reply.failed };
                items.push(Item::Row {
                    items: vec![
                        part("delay", "Wait before, ms", delay, ""),
                        part("failed", "It is an error", failed, "To rehearse a failure."),
                    ],
                });
            }
            Answerer::Mcp(McpTool { server, tool: own_name }) => {
                match server {
                    McpEndpoint::Http { url, headers } => {
                        items.push(part("url", "Address of the server", line(url), ""));
                        items.push(peer_header(&headers, part));
                    }
                    McpEndpoint::Stdio { command } => {
                        items.push(part(
                            "command",
                            "Command",
                            line_with_datalist(command, "mcp-commands"),
                            "One of those allowed here.",
                        ));
                    }
                }
                items.push(part("tool", "Its name there", line(own_name.unwrap_or_default()), "Left empty: the same."));
            }
            Answerer::A2a(peer) => {
                let card = if peer.card.is_some() { "Left empty: the card that is kept." } else { "" };
                items.push(part("url", "Address of its card", line(peer.card_url.unwrap_or_default()), card));
                items.push(peer_header(&peer.headers, part));
            }
        }
        items
    }
}

fn peer_header(headers: &Headers, part: impl Fn(&str, &str, Control, &str) -> Item) -> Item {
    let (name, value) = headers.iter().next().map(|(name, value)| (name.clone(), value.clone())).unwrap_or_default();
    let secret = Control::TextLine { value, placeholder: String::new(), datalist: String::new(), secret: true };
    Item::Row {
        items: vec![
            part("header", "Header (optional)", line(name), "Such as Authorization."),
            part("value", "Its value", secret, "Kept encrypted."),
        ],
    }
}
