//! The layout of rows, in a few bytes each.

use std::ops::Range;

use super::{Density, RowOptions};
use crate::timeline::{Entry, NoteKind, Repetition, Timeline, ToolCall, Turn};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub place: Place,
    pub turn: u32,
    pub depth: u8,
}

/// The content of a slot, within its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Turn,
    Thinking,
    Text,
    Call(u32),
    Note(u32),
    /// Repeated turns, from the slot's turn on.
    Repeats {
        times: u32,
        last_turn: u32,
    },
    Outcome,
    Events(u32),
}

impl Slot {
    /// Returns the key of the row. Entries, turns and events are only appended, so their indexes stay valid.
    pub fn key(&self) -> String {
        let turn = self.turn;
        match self.place {
            Place::Turn => format!("t{turn}"),
            Place::Thinking => format!("t{turn}-thinking"),
            Place::Text => format!("t{turn}-text"),
            Place::Call(entry) | Place::Note(entry) => format!("t{turn}-{entry}"),
            Place::Repeats { .. } => repeats_key(turn),
            Place::Outcome => "end".to_owned(),
            Place::Events(index) => format!("x{index}"),
        }
    }
}

fn repeats_key(first_repeat: u32) -> String {
    format!("t{first_repeat}-repeats")
}

pub(super) fn slots(timeline: &Timeline, options: &RowOptions) -> Vec<Slot> {
    let mut slots = Vec::new();
    match options.density {
        Density::Conversation => {
            for turn in &timeline.turns {
                conversation(turn, &mut slots);
            }
            outcome(timeline, &mut slots);
        }
        Density::Normal => {
            normal(timeline, options, &mut slots);
            outcome(timeline, &mut slots);
        }
        Density::Waterfall => timeline.turns.iter().for_each(|turn| waterfall(turn, &mut slots)),
        Density::EveryEvent => {
            let events = timeline.events.iter().enumerate();
            slots.extend(events.map(|(index, run)| Slot {
                place: Place::Events(index as u32),
                turn: run.turn as u32,
                depth: 0,
            }));
        }
    }
    slots
}

/// Returns the event that a row links to.
pub(super) fn seq_of(timeline: &Timeline, slot: &Slot) -> u64 {
    let turn = timeline.turns.get(slot.turn as usize);
    let of_turn = |seq: fn(&Turn) -> u64| turn.map_or(0, |turn| seq(turn));
    match slot.place {
        Place::Turn => of_turn(Turn::anchor_seq),
        Place::Thinking => of_turn(|turn| turn.thinking_seq.unwrap_or(turn.first_seq)),
        Place::Text => of_turn(|turn| turn.text_seq.unwrap_or(turn.first_seq)),
        Place::Call(entry) | Place::Note(entry) => {
            turn.and_then(|turn| turn.entries.get(entry as usize)).map_or(0, Entry::seq)
        }
        Place::Repeats { .. } => of_turn(Turn::anchor_seq),
        Place::Outcome => timeline.outcome.as_ref().map_or(0, |outcome| outcome.seq),
        Place::Events(index) => timeline.events.get(index as usize).map_or(0, |run| run.first_seq),
    }
}

/// Returns the event with the answer to the call of a row.
pub(super) fn answer_seq_of(timeline: &Timeline, slot: &Slot) -> Option<u64> {
    let Place::Call(entry) = slot.place else { return None };
    let call = timeline.turns.get(slot.turn as usize)?.entries.get(entry as usize)?.as_call()?;
    call.answer.as_ref().map(|answer| answer.seq)
}

/// Returns the key of the row that contains an event of a repeated turn.
pub(super) fn fold_over(timeline: &Timeline, seq: u64) -> Option<String> {
    let at = timeline.turns.partition_point(|turn| turn.last_seq < seq);
    let turn = timeline.turns.get(at).filter(|turn| turn.repeats > 0)?;
    let repetition = timeline.repetitions().into_iter().find(|repetition| repetition.contains_turn(turn.index))?;
    let mut first = repetition.first_turn + 1;
    while first <= repetition.last_turn {
        match fold_from(timeline, &repetition, first) {
            Some(fold) if fold.last_turn as usize >= turn.index => return Some(repeats_key(first as u32)),
            Some(fold) => first = fold.last_turn as usize + 1,
            None => first += 1,
        }
    }
    None
}

/// Repeated turns that share a row.
struct Fold {
    times: u32,
    last_turn: u32,
}

/// Returns the fold that begins with a repeated turn. It ends with the first turn that has something to show, so that the
/// reports of guards stay where they happened.
fn fold_from(timeline: &Timeline, repetition: &Repetition, first: usize) -> Option<Fold> {
    let turns = timeline.turns.get(first..=repetition.last_turn)?;
    let mut fold = None;
    for turn in turns.iter().take_while(|turn| turn.repeats > 0) {
        let times = fold.map_or(0, |fold: Fold| fold.times) + 1;
        fold = Some(Fold { times, last_turn: turn.index as u32 });
        if turn.entries.iter().any(is_always_visible) {
            break;
        }
    }
    fold
}

fn outcome(timeline: &Timeline, slots: &mut Vec<Slot>) {
    if timeline.outcome.is_some() {
        let turn = timeline.turns.len().saturating_sub(1) as u32;
        slots.push(Slot { place: Place::Outcome, turn, depth: 0 });
    }
}

fn conversation(turn: &Turn, slots: &mut Vec<Slot>) {
    let mut push = |place| slots.push(Slot { place, turn: turn.index as u32, depth: 0 });
    for (index, entry) in turn.entries.iter().enumerate() {
        if entry.as_note().is_some_and(|note| matches!(note.kind, NoteKind::Message { .. })) {
            push(Place::Note(index as u32));
        }
    }
    if !turn.text.is_empty() {
        push(Place::Text);
    }
}

/// Adds everything of a turn that takes time, and what guards did.
fn waterfall(turn: &Turn, slots: &mut Vec<Slot>) {
    let mut push = |place, depth| slots.push(Slot { place, turn: turn.index as u32, depth });
    if turn.has_begun() {
        push(Place::Turn, 0);
    }
    for (index, entry) in turn.entries.iter().enumerate() {
        match entry {
            Entry::Call(_) => push(Place::Call(index as u32), 1),
            Entry::Note(note) if note.is_intervention() => push(Place::Note(index as u32), 1),
            Entry::Note(_) => {}
        }
    }
}

fn normal(timeline: &Timeline, options: &RowOptions, slots: &mut Vec<Slot>) {
    let mut repetitions = timeline.repetitions().into_iter().peekable();
    let mut fold: Option<(Fold, bool)> = None;
    for turn in &timeline.turns {
        while repetitions.next_if(|repetition| repetition.last_turn < turn.index).is_some() {}
        let repetition = repetitions.peek().filter(|repetition| repetition.contains_turn(turn.index));
        let Some(repetition) = repetition.filter(|_| turn.repeats > 0) else {
            whole_turn(turn, 0, slots);
            continue;
        };
        if fold.as_ref().is_none_or(|(fold, _)| fold.last_turn < turn.index as u32) {
            fold = fold_from(timeline, repetition, turn.index).map(|fold| {
                let place = Place::Repeats { times: fold.times, last_turn: fold.last_turn };
                slots.push(Slot { place, turn: turn.index as u32, depth: 0 });
                (fold, options.open.contains(&repeats_key(turn.index as u32)))
            });
        }
        match fold {
            Some((_, true)) => whole_turn(turn, 1, slots),
            _ => always_visible(turn, slots),
        }
    }
}

/// Adds a header, then thinking, text and entries in the order of the log.
fn whole_turn(turn: &Turn, depth: u8, slots: &mut Vec<Slot>) {
    let mut push = |place, depth| slots.push(Slot { place, turn: turn.index as u32, depth });
    // Notes before the model began, such as a plan, need no header.
    let inner = if turn.has_begun() {
        push(Place::Turn, depth);
        depth + 1
    } else {
        depth
    };
    let began = turn.thinking_seq.or(turn.text_seq).or(turn.message_seq);
    let before = turn
        .entries
        .iter()
        .take_while(|entry| entry.as_note().is_some_and(|note| began.is_some_and(|began| note.seq < began)));
    let before = before.count();
    let entries = |range: Range<usize>, push: &mut dyn FnMut(Place, u8)| {
        for index in range {
            match &turn.entries[index] {
                Entry::Call(_) => push(Place::Call(index as u32), inner),
                Entry::Note(_) => push(Place::Note(index as u32), inner),
            }
        }
    };
    entries(0..before, &mut push);
    if !turn.thinking.is_empty() {
        push(Place::Thinking, inner);
    }
    if !turn.text.is_empty() {
        push(Place::Text, inner);
    }
    entries(before..turn.entries.len(), &mut push);
}

/// Adds the rows of a repeated turn that are always visible.
fn always_visible(turn: &Turn, slots: &mut Vec<Slot>) {
    for (index, entry) in turn.entries.iter().enumerate().filter(|(_, entry)| is_always_visible(entry)) {
        let place = match entry {
            Entry::Note(_) => Place::Note(index as u32),
            Entry::Call(_) => Place::Call(index as u32),
        };
        slots.push(Slot { place, turn: turn.index as u32, depth: 1 });
    }
}

/// Reports of guards, and calls that wait for an answer.
fn is_always_visible(entry: &Entry) -> bool {
    entry.as_call().is_none_or(ToolCall::awaits_answer)
}
