//! Search inside one run.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::layout::{Place, Slot};
use super::notes::{note_event, note_texts};
use crate::Event;
use crate::redact::redact;
use crate::timeline::{Ending, Entry, Note, NoteKind, Timeline, ToolCall, Turn};

/// A search. All conditions must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowQuery {
    /// A type of event, such as `tool_result`.
    pub event: Option<String>,
    pub tool: Option<String>,
    pub errors_only: bool,
    /// A text, in any case.
    pub text: Option<String>,
}

impl RowQuery {
    /// Parses user input: `type:`, `tool:`, `is:error`, and the rest as text. Quoted parts are text.
    pub fn parse(input: &str) -> Self {
        let mut query = Self::default();
        let mut text = Vec::new();
        for (part, quoted) in input.split('"').zip([false, true].into_iter().cycle()) {
            if quoted {
                text.extend(Some(part.trim()).filter(|part| !part.is_empty()));
                continue;
            }
            for word in part.split_whitespace() {
                match word.split_once(':') {
                    Some(("type", event)) if !event.is_empty() => query.event = Some(event.to_owned()),
                    Some(("tool", tool)) if !tool.is_empty() => query.tool = Some(tool.to_owned()),
                    Some(("is", "error" | "errors" | "failed")) => query.errors_only = true,
                    _ => text.push(word),
                }
            }
        }
        query.text = Some(text.join(" ")).filter(|text| !text.is_empty());
        query
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether it searches for text alone, and finds it in a text that is not in the log, such as the prompt.
    pub fn is_in_text(&self, text: &str) -> bool {
        let for_events = self.event.is_some() || self.tool.is_some() || self.errors_only;
        let found = |needle: &String| text.to_lowercase().contains(&needle.to_lowercase());
        !for_events && self.text.as_ref().is_some_and(found)
    }
}

/// Returns the indexes of the slots that match.
pub(super) fn hits(timeline: &Timeline, events: &[Event], query: &RowQuery, slots: &[Slot]) -> Vec<usize> {
    if query.is_empty() {
        return Vec::new();
    }
    let index = EventIndex::new(timeline, slots);
    let mut needle = query.text.as_deref().map(Needle::new);
    let without_text = RowQuery { text: None, ..query.clone() };
    let in_events = match (&needle, slots.first().map(|slot| slot.place)) {
        (Some(needle), Some(Place::Events(_))) => seqs_with_text(events, &needle.text),
        _ => BTreeSet::new(),
    };
    let mut matches = |slot: &Slot| {
        let items = items(timeline, slot, &index);
        let is_in_events = || match slot.place {
            Place::Events(index) => timeline
                .events
                .get(index as usize)
                .is_some_and(|group| in_events.range(group.first_seq..=group.last_seq).next().is_some()),
            _ => false,
        };
        items.iter().any(|item| matches_item(item, query, needle.as_mut()))
            || (is_in_events() && items.iter().any(|item| matches_item(item, &without_text, None)))
    };
    slots.iter().enumerate().filter(|(_, slot)| matches(slot)).map(|(place, _)| place).collect()
}

/// Returns the seqs of the events that contain a text, which is in lower case. Secrets are not searched.
fn seqs_with_text(events: &[Event], text: &str) -> BTreeSet<u64> {
    let contains = |event: &&Event| {
        let mut json = serde_json::to_value(event).unwrap_or_default();
        redact(&mut json);
        json.to_string().to_lowercase().contains(text)
    };
    events.iter().filter(contains).map(|event| event.seq).collect()
}

/// A part of a row that can match.
enum Item<'a> {
    Turn,
    Thinking(&'a Turn),
    Text(&'a Turn),
    Call(&'a ToolCall),
    Note(&'a Note),
    Outcome(&'a Timeline),
    /// Another event, by its type alone.
    Event(&'a str),
}

/// A search text, with a cache of results: many rows may show the same text.
struct Needle {
    text: String,
    found: HashMap<SharedText, bool>,
}

/// A text that several rows share.
#[derive(PartialEq, Eq, Hash)]
enum SharedText {
    Thinking(usize),
    Text(usize),
    Outcome,
}

impl Needle {
    fn new(text: &str) -> Self {
        Self { text: text.to_lowercase(), found: HashMap::new() }
    }

    fn is_in(&mut self, item: &Item<'_>) -> bool {
        let Self { text, found } = self;
        let look = || {
            let mut is_there = false;
            item.texts(&mut |part| is_there = is_there || part.to_lowercase().contains(text.as_str()));
            is_there
        };
        match item {
            Item::Thinking(turn) => *found.entry(SharedText::Thinking(turn.index)).or_insert_with(look),
            Item::Text(turn) => *found.entry(SharedText::Text(turn.index)).or_insert_with(look),
            Item::Outcome(_) => *found.entry(SharedText::Outcome).or_insert_with(look),
            _ => look(),
        }
    }
}

/// Calls and notes by the seqs of their events, for rows of single events. Empty for other densities.
struct EventIndex(HashMap<u64, (usize, usize)>);

impl EventIndex {
    fn new(timeline: &Timeline, slots: &[Slot]) -> Self {
        let mut index = HashMap::new();
        if slots.iter().any(|slot| matches!(slot.place, Place::Events(_))) {
            for turn in &timeline.turns {
                for (entry, item) in turn.entries.iter().enumerate() {
                    index.insert(item.seq(), (turn.index, entry));
                    if let Some(answer) = item.as_call().and_then(|call| call.answer.as_ref()) {
                        index.insert(answer.seq, (turn.index, entry));
                    }
                }
            }
        }
        Self(index)
    }
}

fn items<'a>(timeline: &'a Timeline, slot: &Slot, events: &EventIndex) -> Vec<Item<'a>> {
    let Some(turn) = timeline.turns.get(slot.turn as usize).map(|turn| turn.as_ref()) else {
        return match slot.place {
            Place::Outcome => vec![Item::Outcome(timeline)],
            _ => Vec::new(),
        };
    };
    match slot.place {
        Place::Turn => vec![Item::Turn],
        Place::Thinking => vec![Item::Thinking(turn)],
        Place::Text => vec![Item::Text(turn)],
        Place::Call(entry) | Place::Note(entry) => turn.entries.get(entry as usize).map(item).into_iter().collect(),
        Place::Outcome => vec![Item::Outcome(timeline)],
        Place::Repeats { last_turn, .. } => {
            // Closed rows are searched too. Notes and waiting calls have their own rows.
            let folded = timeline.turns.iter().skip(turn.index).take_while(|turn| turn.index <= last_turn as usize);
            let hidden = |turn: &'a Arc<Turn>| {
                let calls = turn.calls().filter(|call| !call.awaits_answer()).map(Item::Call);
                [Item::Thinking(turn), Item::Text(turn)].into_iter().chain(calls)
            };
            folded.filter(|turn| turn.repeats > 0).flat_map(hidden).collect()
        }
        Place::Events(index) => {
            let Some(run) = timeline.events.get(index as usize) else { return Vec::new() };
            vec![match run.kind.as_ref() {
                "thinking_delta" => Item::Thinking(turn),
                "assistant_delta" => Item::Text(turn),
                "assistant_message" if turn.message_seq == Some(run.first_seq) => Item::Text(turn),
                "result" | "error" | "cancelled" => Item::Outcome(timeline),
                kind => match events.0.get(&run.first_seq) {
                    Some((turn, entry)) => item(&timeline.turns[*turn].entries[*entry]),
                    None => Item::Event(kind),
                },
            }]
        }
    }
}

fn item(entry: &Entry) -> Item<'_> {
    match entry {
        Entry::Call(call) => Item::Call(call),
        Entry::Note(note) => Item::Note(note),
    }
}

fn matches_item(item: &Item<'_>, query: &RowQuery, needle: Option<&mut Needle>) -> bool {
    query.event.as_deref().is_none_or(|event| item.is_event(event))
        && query.tool.as_deref().is_none_or(|tool| item.is_tool(tool))
        && (!query.errors_only || item.is_error())
        && needle.is_none_or(|needle| needle.is_in(item))
}

impl Item<'_> {
    fn is_event(&self, event: &str) -> bool {
        match self {
            Self::Turn => event == "assistant_message",
            Self::Thinking(_) => event == "thinking_delta",
            Self::Text(_) => matches!(event, "assistant_message" | "assistant_delta"),
            Self::Call(call) if call.kind.is_local() => matches!(event, "local_tool_call" | "local_tool_result_in"),
            Self::Call(_) => matches!(event, "tool_call" | "tool_result"),
            Self::Note(note) => note_event(&note.kind) == event,
            Self::Outcome(timeline) => timeline.outcome.as_ref().is_some_and(|outcome| match outcome.ending {
                Ending::Succeeded => event == "result",
                Ending::Failed => matches!(event, "error" | "result"),
                Ending::Cancelled => event == "cancelled",
            }),
            Self::Event(kind) => *kind == event,
        }
    }

    fn is_tool(&self, tool: &str) -> bool {
        match self {
            Self::Call(call) => call.name.eq_ignore_ascii_case(tool),
            Self::Note(note) => match &note.kind {
                NoteKind::LoopDetected { tools, .. } => tools.iter().any(|name| name.eq_ignore_ascii_case(tool)),
                NoteKind::BudgetExceeded { tool: name, .. }
                | NoteKind::Files { tool: name, .. }
                | NoteKind::EarlyResult { tool: name }
                | NoteKind::RepeatedResult { tool: name } => name.eq_ignore_ascii_case(tool),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_error(&self) -> bool {
        match self {
            Self::Call(call) => call.failed(),
            Self::Note(note) => matches!(note.kind, NoteKind::Malformed { .. } | NoteKind::AfterEnd { .. }),
            Self::Outcome(timeline) => {
                timeline.outcome.as_ref().is_some_and(|outcome| outcome.ending == Ending::Failed)
            }
            _ => false,
        }
    }

    /// Visits the texts that can be searched.
    fn texts(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Self::Turn => {}
            Self::Event(kind) => visit(kind),
            Self::Thinking(turn) => visit(&turn.thinking),
            Self::Text(turn) => visit(&turn.text),
            Self::Call(call) => {
                visit(&call.name);
                visit(&call.input.to_string());
                if let Some(answer) = &call.answer {
                    visit(&answer.text());
                }
            }
            Self::Note(note) => {
                visit(note_event(&note.kind));
                note_texts(&note.kind, visit);
            }
            Self::Outcome(timeline) => {
                if let Some(error) = timeline.outcome.as_ref().and_then(|outcome| outcome.error.as_deref()) {
                    visit(error);
                }
            }
        }
    }
}
