//! Fields for the answerer of a local tool.

use app::launch::ControlName;
use app::launch::draft::answerers;
use app::model::launch::{Control, Item};
use domain::{Answerer, Headers, McpEndpoint, McpTool};

use super::controls::{PageBuilder, checkbox, code_area, line, line_with, note, secret_line, select};

impl PageBuilder<'_> {
    pub fn answerer_fields(&self, tool: &str) -> Vec<Item> {
        if !protocol::ids::is_tool_name(tool) {
            return vec![note("Choose who answers it once it has a name.")];
        }
        let answerer = self.draft.answers.get(tool).cloned().unwrap_or_default();
        let place = format!("/answers/{tool}");
        let part = |part: &str, label: &str, help: &str, control: Control| {
            self.control(&ControlName::answerer(tool, part), &format!("{place}#{part}"), label, help, control)
        };
        let header = |headers: &Headers| {
            let (name, value) =
                headers.iter().next().map(|(name, value)| (name.clone(), value.clone())).unwrap_or_default();
            let name = part("header", "Header (optional)", "Such as Authorization.", line(name));
            Item::Row { items: vec![name, part("value", "Its value", "Stored encrypted.", secret_line(value))] }
        };
        let mut words = vec![
            ("hand", "Me, on the run page"),
            ("canned", "A canned reply"),
            ("mcp", "An MCP server, called by Runlens"),
            ("a2a", "An A2A agent, called by Runlens"),
        ];
        if !self.catalogue.mcp_commands.is_empty() {
            words.push(("command", "An MCP command on this server"));
        }
        let name = ControlName::answerer(tool, "by");
        let choice = select(answerers::choice_of(&answerer), words);
        let mut who = self.field(&name, &place, &format!("Who answers {tool}?"), "", choice);
        who.error = self.error_inside(&place);
        let mut items = vec![Item::Field(who)];
        match answerer {
            Answerer::Hand => {}
            Answerer::Canned(reply) => {
                let delay = match self.draft.unfinished.texts.get(&answerers::delay_name(tool)) {
                    Some(text) => text.clone(),
                    None if reply.delay_ms == 0 => String::new(),
                    None => reply.delay_ms.to_string(),
                };
                let help = "{{args.path}} stands for an argument of the call.";
                let failed = part(
                    "failed",
                    "Return as error",
                    "To test how the agent handles a failure.",
                    checkbox(reply.failed),
                );
                items.extend([
                    part("text", "Reply", help, code_area(reply.text, 3, "")),
                    Item::Row { items: vec![part("delay", "Delay (ms)", "", line_with(delay, "0", "")), failed] },
                ]);
            }
            Answerer::Mcp(McpTool { server, tool: own_name }) => {
                items.extend(match server {
                    McpEndpoint::Http { url, headers } => {
                        vec![part("url", "Address of the server", "", line(url)), header(&headers)]
                    }
                    McpEndpoint::Stdio { command } => {
                        let command = line_with(command, "", "mcp-commands");
                        vec![part("command", "Command", "One of those allowed here.", command)]
                    }
                });
                items.push(part("tool", "Its name there", "Empty: the same name.", line(own_name.unwrap_or_default())));
            }
            Answerer::A2a(peer) => {
                let card = if peer.card.is_some() { "Empty: the stored card." } else { "" };
                let url = line(peer.card_url.unwrap_or_default());
                items.extend([part("url", "Address of its card", card, url), header(&peer.headers)]);
            }
        }
        items
    }
}
