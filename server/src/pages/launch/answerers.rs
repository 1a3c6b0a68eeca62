//! Fields for the answerer of a local tool.

use app::launch::ControlKind;
use app::launch::draft::answerers;
use app::launch::draft::control_text::text_at;
use domain::Answerer;

use super::controls::{PageBuilder, checkbox, code_area, line, line_with, note, secret_line, select};
use super::items::{Control, Item};

impl PageBuilder<'_> {
    pub fn answerer_fields(&self, tool: &str) -> Vec<Item> {
        if !protocol::ids::is_tool_name(tool) {
            return vec![note("Choose who answers it once it has a name.")];
        }
        let answerer = self.draft.answers.get(tool).cloned().unwrap_or_default();
        let choice = answerers::choice_of(&answerer);
        let part = |part: &str, label: &str, help: &str, control: Control| {
            self.control(ControlKind::Answerer.part(tool, part), label, help, control)
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
        let json = serde_json::to_value(&answerer).unwrap_or_default();
        let text = |place: &str| text_at(&json, place);
        let who = part("by", &format!("Who answers {tool}?"), "", select(choice, words));
        let rest = match choice {
            "canned" => {
                let delay = match self.draft.unfinished.text(&answerers::delay_control(tool)) {
                    "" => Some(text("/delayMs")).filter(|delay| delay != "0").unwrap_or_default(),
                    invalid => invalid.to_owned(),
                };
                let help = "{{args.path}} stands for an argument of the call.";
                let failed = checkbox(text("/failed") == "true");
                vec![
                    part("text", "Reply", help, code_area(text("/text"), 3, "")),
                    Item::Row(vec![
                        part("delay", "Delay (ms)", "", line_with(delay, "0", "")),
                        part("failed", "Return as error", "To test how the agent handles a failure.", failed),
                    ]),
                ]
            }
            "mcp" => vec![part("url", "Address of the server", "", line(text("/server/url")))],
            "command" => {
                let command = line_with(text("/server/command"), "", "mcp-commands");
                vec![part("command", "Command", "One of those allowed here.", command)]
            }
            "a2a" => {
                let help = if json["card"].is_null() { "" } else { "Empty: the stored card." };
                vec![part("url", "Address of its card", help, line(text("/cardUrl")))]
            }
            _ => Vec::new(),
        };
        let header = answerer.headers().map(|headers| {
            let (name, value) = headers.first_key_value().map_or(("", ""), |(name, value)| (name, value));
            let name = part("header", "Header (optional)", "Such as Authorization.", line(name));
            Item::Row(vec![name, part("value", "Its value", "Stored encrypted.", secret_line(value))])
        });
        let own_name = matches!(answerer, Answerer::Mcp { .. })
            .then(|| part("tool", "Its name there", "Empty: the same name.", line(text("/tool"))));
        [who].into_iter().chain(rest).chain(header).chain(own_name).collect()
    }
}
