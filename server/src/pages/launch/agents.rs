//! Fields of tools that are other agents.

use app::launch::draft::control_text::text_at;
use app::launch::draft::error_placement::dom_id;
use app::model::launch::{Control, Item};
use serde_json::Value;

use super::controls::{PageBuilder, button, line, with_help};

/// The most skills and addresses that are shown.
const MAX_LISTED: usize = 20;

impl PageBuilder<'_> {
    pub fn remote_agent(&self, place: &str) -> Vec<Item> {
        let at = |field: &str| format!("{place}/{field}");
        let mut items = vec![
            self.name(place),
            self.description(place),
            self.text(
                &at("agentCardUrl"),
                "Address of its card",
                "Such as https://agent.example.com/.well-known/agent-card.json",
            ),
            Item::Buttons { buttons: vec![button(format!("card:{place}"), "Fetch the card", "")] },
        ];
        items.extend(self.draft.fetched_cards.get(place).map(card_facts));
        items.push(self.headers(place));
        items.push(self.text(&at("contextId"), "Context id (optional)", "Goes on with an earlier conversation."));
        items
    }

    pub fn local_agent(&self, place: &str) -> Vec<Item> {
        let card = format!("{place}/agentCard");
        let source = self.draft.sources.get(place).cloned().unwrap_or_default();
        let address =
            self.field(format!("s{place}#url"), &format!("{place}#source"), "Fetch its card from", line(source.url));
        let upload = self.field(
            format!("f{card}"),
            &format!("{card}#file"),
            "Or upload the card",
            Control::File { accept: ".json,application/json".to_owned() },
        );
        let mut items = vec![
            self.name(place),
            self.description(place),
            Item::Row { items: vec![Item::Field(address), Item::Field(upload)] },
            self.source_header(place),
            Item::Buttons { buttons: vec![button(format!("card:{place}"), "Take the card", "")] },
        ];
        if let Some(value) = self.spec().pointer(&card).filter(|card| card.is_object()) {
            items.push(card_facts(value));
        }
        items.push(self.json(&card, "Card as JSON", "The object with which the agent introduces itself.", 5));
        items.extend(self.answerer_fields(&text_at(self.spec(), &format!("{place}/name"))));
        items
    }

    /// The credential for discovering tools or fetching a card.
    pub fn source_header(&self, place: &str) -> Item {
        let source = self.draft.sources.get(place).cloned().unwrap_or_default();
        let open = !source.header.is_empty();
        let part = |part: &str, label: &str, control: Control| {
            self.field(format!("s{place}#{part}"), &format!("{place}#{part}"), label, control)
        };
        let secret = Control::TextLine {
            value: source.value,
            placeholder: String::new(),
            datalist: String::new(),
            secret: true,
        };
        let name = with_help(part("header", "Header", line(source.header)), "Such as Authorization.");
        let value = with_help(part("value", "Value", secret), "Sent along when it is asked, and when it answers.");
        Item::Fold {
            id: dom_id(&format!("fold{place}/source")),
            title: "Ask with a credential".to_owned(),
            open,
            items: vec![Item::Row { items: vec![name, value] }],
        }
    }
}

/// Shows a card, whose texts are untrusted.
fn card_facts(card: &Value) -> Item {
    let mut facts: Vec<(String, String)> = Vec::new();
    for (label, field) in [
        ("Agent", "/name"),
        ("About", "/description"),
        ("Address", "/url"),
        ("Version", "/version"),
        ("By", "/provider/organization"),
    ] {
        let text = text_at(card, field);
        if !text.is_empty() {
            facts.push((label.to_owned(), text));
        }
    }
    // Later 0.3 versions and version 1 have a list of addresses.
    let lists = ["supportedInterfaces", "additionalInterfaces"].map(|list| card[list].as_array());
    for found in lists.into_iter().flatten().flatten().take(MAX_LISTED) {
        let parts = ["/url", "/protocolBinding", "/transport", "/protocolVersion"].map(|part| text_at(found, part));
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        facts.push(("Address".to_owned(), parts.join(" · ")));
    }
    let skills = card["skills"].as_array().map(Vec::as_slice).unwrap_or_default();
    for skill in skills.iter().take(MAX_LISTED) {
        facts.push(("Skill".to_owned(), format!("{}: {}", text_at(skill, "/name"), text_at(skill, "/description"))));
    }
    if skills.len() > MAX_LISTED {
        let more = skills.len() - MAX_LISTED;
        facts.push(("Skill".to_owned(), format!("{more} more, which the card has and this list leaves out")));
    }
    Item::Facts { facts }
}
