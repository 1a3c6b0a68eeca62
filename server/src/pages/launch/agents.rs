//! The cards of other agents.

use app::launch::control_name::dom_id;
use app::launch::draft::control_text::text_at;
use app::launch::{ControlName, Verb};
use app::model::launch::{Control, Item};
use protocol::fields;
use serde_json::Value;

use super::controls::{PageBuilder, button, buttons, fold, line, secret_line};

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
        let source = self.draft.unfinished.sources.get(place).cloned().unwrap_or_default();
        let name = ControlName::source(place, "url");
        let address = self.control(&name, &format!("{place}#source"), "Fetch its card from", "", line(source.url));
        let file = Control::File { accept: ".json,application/json".to_owned() };
        let name = ControlName::File(pointer.to_owned());
        let upload = self.control(&name, &format!("{pointer}#file"), "Or upload the card", "", file);
        let mut items = vec![
            Item::Row { items: vec![address, upload] },
            self.source_header(place),
            buttons(button(Verb::LoadCard.of(place), "Load card", "")),
        ];
        items.extend(self.spec().pointer(pointer).filter(|card| card.is_object()).map(card_facts));
        let help = "The JSON object in which the agent describes itself.";
        items.push(self.json(pointer, &format!("{} as JSON", field.label), help, 5));
        items
    }

    /// The credential for discovering tools or fetching a card.
    pub fn source_header(&self, place: &str) -> Item {
        let source = self.draft.unfinished.sources.get(place).cloned().unwrap_or_default();
        let open = !source.header.is_empty();
        let part = |part: &str, label: &str, help: &str, control: Control| {
            self.control(&ControlName::source(place, part), &format!("{place}#{part}"), label, help, control)
        };
        let name = part("header", "Header", "Such as Authorization.", line(source.header));
        let help = "Sent when the server is asked, and when it answers.";
        let value = part("value", "Value", help, secret_line(source.value));
        let items = vec![Item::Row { items: vec![name, value] }];
        fold(dom_id(&format!("fold{place}/source")), "Authentication", open, items)
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
    Item::Facts { facts: facts.map(|(label, text)| (label.to_owned(), text)).collect() }
}
