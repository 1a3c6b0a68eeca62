//! The cards of other agents.

use app::launch::ControlKind;
use app::launch::control_name::dom_id;
use app::launch::draft::control_text::text_at;
use protocol::fields;
use serde_json::Value;

use super::controls::{PageBuilder, button, buttons, fold, line_with, secret_line};
use super::items::{Control, Item};
use crate::launch::form::Verb;

/// The most skills and addresses that are shown.
const MAX_LISTED: usize = 20;

impl PageBuilder<'_> {
    /// The address of a remote agent's card, and the fetched card.
    pub fn card_url(&self, pointer: &str, address: Vec<Item>) -> Vec<Item> {
        let place = pointer.trim_end_matches("/agentCardUrl");
        let fetched = self.draft.last_action.fetched_cards.get(place).map(card_facts);
        let fetch = buttons(button(Verb::LoadCard.of(place), "Fetch the card", ""));
        address.into_iter().chain([fetch]).chain(fetched).collect()
    }

    /// The card of a local agent: fetched, uploaded or pasted.
    pub fn card(&self, pointer: &str, field: &fields::Field) -> Vec<Item> {
        let place = pointer.trim_end_matches("/agentCard");
        let address = self.source(place, "url", "Fetch its card from", "", "");
        let file = Control::File { accept: ".json,application/json".to_owned() };
        let upload = self.control(ControlKind::File.at(pointer), "Or upload the card", "", file);
        let load = buttons(button(Verb::LoadCard.of(place), "Load card", ""));
        let mut items = vec![Item::Row(vec![address, upload]), self.source_header(place), load];
        items.extend(self.spec().pointer(pointer).filter(|card| card.is_object()).map(card_facts));
        let help = "The JSON object in which the agent describes itself.";
        items.push(self.json(pointer, &format!("{} as JSON", field.label), help, 5));
        items
    }

    /// The credential for discovering tools or fetching a card.
    pub fn source_header(&self, place: &str) -> Item {
        let open = !self.draft.source(place, "header").is_empty();
        let name = self.source(place, "header", "Header", "Such as Authorization.", "");
        let help = "Sent when the server is asked, and when it answers.";
        let value = secret_line(self.draft.source(place, "value"));
        let value = self.control(ControlKind::Source.part(place, "value"), "Value", help, value);
        let items = vec![Item::Row(vec![name, value])];
        fold(dom_id(&format!("fold{place}/source")), "Authentication", open, items)
    }

    /// A text line for a part of the address that the tools of a server or a card come from.
    pub fn source(&self, place: &str, part: &str, label: &str, help: &str, datalist: &str) -> Item {
        let control = line_with(self.draft.source(place, part), "", datalist);
        self.control(ControlKind::Source.part(place, part), label, help, control)
    }
}

/// Shows a card, whose texts are untrusted.
fn card_facts(card: &Value) -> Item {
    let fields = [
        ("Agent", "/name"),
        ("About", "/description"),
        ("Address", "/url"),
        ("Version", "/version"),
        ("By", "/provider/organization"),
    ];
    let mut facts: Vec<(&str, String)> = fields.map(|(label, field)| (label, text_at(card, field))).to_vec();
    // Later 0.3 versions and version 1 have a list of addresses.
    let lists = ["supportedInterfaces", "additionalInterfaces"].map(|list| card[list].as_array());
    for found in lists.into_iter().flatten().flatten().take(MAX_LISTED) {
        let parts = ["/url", "/protocolBinding", "/transport", "/protocolVersion"].map(|part| text_at(found, part));
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        facts.push(("Address", parts.join(" · ")));
    }
    let skills = card["skills"].as_array().map(Vec::as_slice).unwrap_or_default();
    for skill in skills.iter().take(MAX_LISTED) {
        facts.push(("Skill", format!("{}: {}", text_at(skill, "/name"), text_at(skill, "/description"))));
    }
    if skills.len() > MAX_LISTED {
        let more = skills.len() - MAX_LISTED;
        facts.push(("Skill", format!("{more} more, which the card has and this list leaves out")));
    }
    let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
    Item::Facts(facts.map(|(label, text)| (label.to_owned(), text)).collect())
}
