//! Applies an agent's card to a tool: its name, its description and its answerer.

use domain::{A2aPeer, Answerer};
use protocol::ids::is_tool_name;
use protocol::json_pointer::set;
use serde_json::Value;

use super::LaunchDraft;
use super::control_text::text_at;

/// Lets an agent answer its own calls when its card is first given, and replaces a changed card in its answerer.
pub fn adopt_cards(draft: &mut LaunchDraft, before: &Value) {
    let agents = draft.spec["tools"].as_array().map_or(0, Vec::len);
    for place in (0..agents).map(|i| format!("/tools/{i}")) {
        let card = draft.spec.pointer(&format!("{place}/agentCard")).filter(|card| card.is_object()).cloned();
        let was = before.pointer(&format!("{place}/agentCard"));
        let Some(card) = card.filter(|card| Some(card) != was) else { continue };
        let name = text_at(&draft.spec, &format!("{place}/name"));
        match draft.answers.get_mut(&name) {
            Some(Answerer::A2a(peer)) if peer.card.is_some() => peer.card = Some(card),
            _ if was.is_none() => answer_by_card(draft, &place, card),
            _ => {}
        }
    }
}

/// Keeps an existing answerer, except a person.
pub fn answer_by_card(draft: &mut LaunchDraft, place: &str, card: Value) {
    fill_from_card(draft, place, &card);
    let peer = A2aPeer { card: Some(card), ..A2aPeer::default() };
    answer_by(draft, place, peer);
}

pub fn answer_by(draft: &mut LaunchDraft, place: &str, peer: A2aPeer) {
    let name = text_at(&draft.spec, &format!("{place}/name"));
    if is_tool_name(&name) && draft.answers.get(&name).is_none_or(|answerer| *answerer == Answerer::Hand) {
        draft.answers.insert(name, Answerer::A2a(peer));
    }
}

/// Sets a missing name and description.
pub fn fill_from_card(draft: &mut LaunchDraft, place: &str, card: &Value) {
    set_default_name(draft, place, &text_at(card, "/name"));
    let description = text_at(card, "/description");
    if text_at(&draft.spec, &format!("{place}/description")).is_empty() && !description.is_empty() {
        set(&mut draft.spec, &format!("{place}/description"), description.into());
    }
}

pub fn set_default_name(draft: &mut LaunchDraft, place: &str, name: &str) {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().map(plain).take(64).collect();
    if text_at(&draft.spec, &format!("{place}/name")).is_empty() && is_tool_name(&name) {
        set(&mut draft.spec, &format!("{place}/name"), name.into());
    }
}
