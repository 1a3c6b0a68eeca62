//! What the cards of agents change: the name and description of a tool, and who answers it.

use protocol::ids::is_tool_name;
use serde_json::Value;

use super::Work;
use super::place::{set, shown_text};
use domain::{A2aPeer, Answerer};

/// Agents whose card has just come answer for themselves, and those that answer by their card go on with the new one.
pub fn adopt_cards(work: &mut Work, before: &Value) {
    let agents = work.spec["tools"].as_array().map_or(0, Vec::len);
    for place in (0..agents).map(|i| format!("/tools/{i}")) {
        let card = work.spec.pointer(&format!("{place}/agentCard")).filter(|card| card.is_object()).cloned();
        let was = before.pointer(&format!("{place}/agentCard"));
        let Some(card) = card.filter(|card| Some(card) != was) else { continue };
        let name = shown_text(&work.spec, &format!("{place}/name"));
        match work.answers.get_mut(&name) {
            Some(Answerer::A2a(peer)) if peer.card.is_some() => peer.card = Some(card),
            _ if was.is_none() => answer_by_card(work, &place, card),
            _ => {}
        }
    }
}

/// Whoever answers already goes on with it; only a person is relieved.
pub fn answer_by_card(work: &mut Work, place: &str, card: Value) {
    introduce(work, place, &card);
    let peer = A2aPeer { card: Some(card), ..A2aPeer::default() };
    answer_by(work, place, peer);
}

pub fn answer_by(work: &mut Work, place: &str, peer: A2aPeer) {
    let name = shown_text(&work.spec, &format!("{place}/name"));
    if is_tool_name(&name) && work.answers.get(&name).is_none_or(|answerer| *answerer == Answerer::Hand) {
        work.answers.insert(name, Answerer::A2a(peer));
    }
}

/// Gives a tool without name and description those of its agent.
pub fn introduce(work: &mut Work, place: &str, card: &Value) {
    name_after(work, place, &shown_text(card, "/name"));
    let description = shown_text(card, "/description");
    if shown_text(&work.spec, &format!("{place}/description")).is_empty() && !description.is_empty() {
        set(&mut work.spec, &format!("{place}/description"), description.into());
    }
}

pub fn name_after(work: &mut Work, place: &str, name: &str) {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().map(plain).take(64).collect();
    if shown_text(&work.spec, &format!("{place}/name")).is_empty() && is_tool_name(&name) {
        set(&mut work.spec, &format!("{place}/name"), name.into());
    }
}
