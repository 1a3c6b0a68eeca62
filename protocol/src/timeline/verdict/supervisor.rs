//! Interventions of the supervisor, and their effect.

use serde_json::Value;

use super::Sentence;
use super::reaction::{Reaction, reaction};
use crate::timeline::format::times;
use crate::timeline::{Ending, NoteKind, Timeline};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let reviews = timeline.turns.iter().flat_map(|turn| {
        turn.notes().filter_map(|note| match &note.kind {
            NoteKind::Supervisor { action, mid_turn, .. } => Some((turn.index, note.seq, action.as_str(), *mid_turn)),
            _ => None,
        })
    });
    let (mut redirect, mut redirects, mut finalize) = (None, 0, None);
    for (turn, seq, action, mid_turn) in reviews {
        match action {
            "redirect" => {
                redirect = Some((turn, seq, mid_turn));
                redirects += 1;
            }
            "finalize" => finalize = finalize.or(Some(seq)),
            _ => {}
        }
    }
    let redirect = redirect.map(|(turn, seq, mid_turn)| redirected(timeline, turn, seq, mid_turn, redirects));
    redirect.into_iter().chain(finalize.map(|seq| finalized(timeline, seq))).collect()
}

fn redirected(timeline: &Timeline, turn: usize, seq: u64, mid_turn: bool, redirects: u64) -> Sentence {
    let often = match redirects {
        1 => format!("The supervisor redirected the model at #{seq}"),
        n => format!("The supervisor redirected the model {}, the last time at #{seq}", times(n)),
    };
    let thinking = if mid_turn { " in the middle of its thinking" } else { "" };
    let reaction = reaction(timeline, turn);
    let but = if matches!(reaction, Reaction::Same(_)) { "but" } else { "and" };
    match reaction.describe() {
        Some((did, next)) => Sentence::new(format!("{often}{thinking}, {but} then it {did}."), [seq, next]),
        None => Sentence::new(format!("{often}{thinking}."), [seq]),
    }
}

fn finalized(timeline: &Timeline, seq: u64) -> Sentence {
    match timeline.outcome.as_ref().filter(|outcome| outcome.ending == Ending::Succeeded) {
        Some(outcome) => Sentence::new(
            format!("The supervisor ended the run at #{seq}; the answer was written with tools turned off."),
            [seq, outcome.seq],
        ),
        None => Sentence::new(format!("The supervisor ended the run at #{seq}."), [seq]),
    }
}
