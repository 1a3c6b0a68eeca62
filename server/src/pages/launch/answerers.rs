//! Fields for the answerer of a local tool.

use app::launch::ControlName;
use app::launch::draft::answerers;
use app::model::launch::{Control, Item};
use domain::{Answerer, Headers, McpEndpoint, McpTool};

use super::controls::{
    PageBuilder, checkbox, code_area, line, line_with_datalist, line_with_placeholder, note, secret_line, select,
    with_help,
};

impl PageBuilder<'_> {
    pub fn answerer_fields(&self, tool: &str) -> Vec<Item> {
        if !protocol::ids::is_tool_name(tool) {
            return vec![note("Choose who answers it once it has a name.")];
        }
        let answerer = self.draft.answers.get(tool).cloned().unwrap_or_default();
        let place = format!("/answers/{tool}");
        let part = |part: &str, label: &str, control: Control, help: &str| {
            let name = ControlName::answerer(tool, part);
            with_help(self.field(&name, &format!("{place}#{part}"), label, control), help)
        };
        let mut words = vec![
            ("hand", "I do, on the run's page"),
            ("canned", "A canned reply"),
            ("mcp", "An MCP server that this server reaches"),
            ("a2a", "An A2A agent that this server reaches"),
        ];
        if !self.catalogue.mcp_commands.is_empty() {
            words.push(("command", "An MCP server started here"));
        }
        let name = ControlName::answerer(tool, "by");
        let choice = select(answerers::choice_of(&answerer), &words);
        let mut who = self.field(&name, &place, &format!("Who answers {tool}?"), choice);
        who.error = self.error_inside(&place);
        let mut items = vec![Item::Field(who)];
        match answerer {
            Answerer::Hand => {}
            Answerer::Canned(reply) => {
                let help = "{{args.path}} stands for an argument of the call.";
                items.push(part("text", "Reply", code_area(reply.text, 3, ""), help));
                let delay = match self.draft.unfinished.texts.get(&answerers::delay_name(tool)) {
                    Some(text) => text.clone(),
                    None if reply.delay_ms == 0 => String::new(),
                    None => reply.delay_ms.to_string(),
                };
                items.push(Item::Row {
                    items: vec![
                        part("delay", "Delay (ms)", line_with_placeholder(delay, "0"), ""),
                        part("failed", "Return as error", checkbox(reply.failed), "To rehearse a failure."),
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
                items.push(part("tool", "Its name there", line(own_name.unwrap_or_default()), "Empty: the same name."));
            }
            Answerer::A2a(peer) => {
                let card = if peer.card.is_some() { "Empty: the stored card." } else { "" };
                items.push(part("url", "Address of its card", line(peer.card_url.unwrap_or_default()), card));
                items.push(peer_header(&peer.headers, part));
            }
        }
        items
    }
}

fn peer_header(headers: &Headers, part: impl Fn(&str, &str, Control, &str) -> Item) -> Item {
    let (name, value) = headers.iter().next().map(|(name, value)| (name.clone(), value.clone())).unwrap_or_default();
    Item::Row {
        items: vec![
            part("header", "Header (optional)", line(name), "Such as Authorization."),
            part("value", "Its value", secret_line(value), "Stored encrypted."),
        ],
    }
}
