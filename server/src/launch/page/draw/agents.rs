//! Other agents as tools: by their card, called by MANTYX or answered from here.

use app::launch::sheet::{Control, Item};
use serde_json::Value;

use super::super::place::shown_text;
use super::{Draw, button, dom_id, helped, line};

/// Skills and addresses shown of a card.
const MAX_LISTED: usize = 20;

impl Draw<'_> {
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
        items.extend(self.work.cards.get(place).map(card_facts));
        items.push(self.headers(place));
        items.push(self.text(&at("contextId"), "Context id (optional)", "Goes on with an earlier conversation."));
        items
    }

    pub fn local_agent(&self, place: &str) -> Vec<Item> {
        let card = format!("{place}/agentCard");
        let source = self.work.sources.get(place).cloned().unwrap_or_default();
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
        items.extend(self.answering(&shown_text(self.spec(), &format!("{place}/name"))));
        items
    }

    /// What a catalogue or a card is asked for with.
    pub fn source_header(&self, place: &str) -> Item {
        let source = self.work.sources.get(place).cloned().unwrap_or_default();
        let open = !source.header.is_empty();
        let part = |part: &str, label: &str, control: Control| {
            self.field(format!("s{place}#{part}"), &format!("{place}#{part}"), label, control)
        };
        let secret =
            Control::Line { value: source.value, placeholder: String::new(), choices: String::new(), secret: true };
        let name = helped(part("header", "Header", line(source.header)), "Such as Authorization.");
        let value = helped(part("value", "Value", secret), "Sent along when it is asked, and when it answers.");
        Item::Fold {
            id: dom_id(&format!("fold{place}/source")),
            title: "Ask with a credential".to_owned(),
            open,
            items: vec![Item::Row { items: vec![name, value] }],
        }
    }
}

/// A card, readable: text of a stranger.
fn card_facts(card: &Value) -> Item {
    let mut facts: Vec<(String, String)> = Vec::new();
    for (label, field) in [
        ("Agent", "/name"),
        ("About", "/description"),
        ("Address", "/url"),
        ("Version", "/version"),
        ("By", "/provider/organization"),
    ] {
        let text = shown_text(card, field);
        if !text.is_empty() {
            facts.push((label.to_owned(), text));
        }
    }
    // Version 1 and later of 0.3 name their addresses in a list.
    let lists = ["supportedInterfaces", "additionalInterfaces"].map(|list| card[list].as_array());
    for found in lists.into_iter().flatten().flatten().take(MAX_LISTED) {
        let parts = ["/url", "/protocolBinding", "/transport", "/protocolVersion"].map(|part| shown_text(found, part));
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        facts.push(("Address".to_owned(), parts.join(" · ")));
    }
    let skills = card["skills"].as_array().map(Vec::as_slice).unwrap_or_default();
    for skill in skills.iter().take(MAX_LISTED) {
        facts.push((
            "Skill".to_owned(),
            format!("{}: {}", shown_text(skill, "/name"), shown_text(skill, "/description")),
        ));
    }
    if skills.len() > MAX_LISTED {
        let more = skills.len() - MAX_LISTED;
        facts.push(("Skill".to_owned(), format!("{more} more, which the card has and this list leaves out")));
    }
    Item::Facts { facts }
}
