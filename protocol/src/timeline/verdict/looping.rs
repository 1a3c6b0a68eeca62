//! Loops: repetitions in the log, reports of the server's guard, and their effect.

use serde_json::Value;

use super::reaction::{Reaction, reaction};
use super::{MIN_EQUAL_TURNS, Sentence};
use crate::timeline::format::{times, tools};
use crate::timeline::{Ending, Note, NoteKind, Repetition, Timeline};

const MAX_SENTENCES: usize = 2;

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let reports = reports(timeline);
    let mut sentences = observed(timeline, &reports);
    sentences.extend(guard(timeline, &reports, sentences.is_empty()));
    sentences
}

/// The server's reports, each with its turn.
fn reports(timeline: &Timeline) -> Vec<(usize, &Note)> {
    let notes = timeline.turns.iter().flat_map(|turn| turn.notes().map(|note| (turn.index, note)));
    notes.filter(|(_, note)| matches!(note.kind, NoteKind::LoopDetected { .. })).collect()
}

fn observed(timeline: &Timeline, reports: &[(usize, &Note)]) -> Vec<Sentence> {
    let mut repetitions = timeline.repetitions();
    repetitions.retain(|repetition| repetition.turns >= MIN_EQUAL_TURNS);
    repetitions.sort_by_key(|repetition| std::cmp::Reverse(repetition.turns));
    repetitions.truncate(MAX_SENTENCES);
    repetitions.sort_by_key(|repetition| repetition.first_seq);
    repetitions.iter().map(|repetition| observation(timeline, repetition, reports)).collect()
}

fn observation(timeline: &Timeline, repetition: &Repetition, reports: &[(usize, &Note)]) -> Sentence {
    let names = tools(repetition.tools.iter().map(String::as_str));
    // A skipped call was requested and not made.
    let skipped = timeline.skipped_turns(repetition) as u64;
    let (called, made) = if skipped > 0 { ("requested", "requested") } else { ("called", "made") };
    let were = match repetition.calls_per_turn {
        1 => format!("{names} was {called}"),
        n if repetition.tools.len() == 1 => format!("The same {n} calls of {names} were {made}"),
        n => format!("The same {n} calls ({names}) were {made}"),
    };
    let arguments = if repetition.calls_per_turn == 1 { " with the same arguments" } else { "" };
    let skips = match skipped * repetition.calls_per_turn as u64 {
        0 => String::new(),
        1 => "; 1 call was skipped".to_owned(),
        calls => format!("; {calls} calls were skipped"),
    };
    let reported = reports.iter().any(|(turn, _)| repetition.contains_turn(*turn));
    let unreported = if reported { "" } else { " The server did not report a loop." };
    let text = format!(
        "{were} {} in a row{arguments} (turns {} to {}); the repeats begin at #{}{skips}.{unreported}",
        times(repetition.turns as u64),
        repetition.first_turn + 1,
        repetition.last_turn + 1,
        repetition.first_wasted_seq,
    );
    Sentence::new(text, [repetition.first_seq, repetition.first_wasted_seq])
}

fn guard(timeline: &Timeline, reports: &[(usize, &Note)], alone: bool) -> Vec<Sentence> {
    let find = |cutoff: bool| {
        reports
            .iter()
            .find(|(_, note)| matches!(note.kind, NoteKind::LoopDetected { hard_cutoff, .. } if hard_cutoff == cutoff))
    };
    let (nudge, cutoff) = (find(false), find(true));
    let mut sentences = Vec::new();
    if alone
        && let Some((_, note)) = nudge.or(cutoff)
        && let NoteKind::LoopDetected { consecutive_count, tools: names, .. } = &note.kind
    {
        let names = tools(names.iter().map(String::as_str));
        let text = format!(
            "The loop guard reported that {names} was requested {} in a row with the same arguments.",
            times(*consecutive_count)
        );
        sentences.push(Sentence::new(text, [note.seq]));
    }
    if let Some((turn, note)) = nudge {
        sentences.push(after_nudge(timeline, *turn, note.seq));
    }
    if let Some((_, note)) = cutoff {
        let wrote =
            timeline.outcome.as_ref().filter(|outcome| outcome.ending == Ending::Succeeded && !outcome.text.is_empty());
        let (then, seqs) = match wrote {
            Some(outcome) => ("; the answer was written without them", vec![note.seq, outcome.seq]),
            None => ("", vec![note.seq]),
        };
        sentences
            .push(Sentence::new(format!("The loop guard gave up at #{} and turned tools off{then}.", note.seq), seqs));
    }
    sentences
}

fn after_nudge(timeline: &Timeline, turn: usize, seq: u64) -> Sentence {
    let reaction = reaction(timeline, turn);
    let helped = match reaction {
        Reaction::Same(_) => "which changed nothing: the model",
        _ => "and the model changed course: it",
    };
    match reaction.describe() {
        Some((did, next)) => {
            Sentence::new(format!("The loop guard nudged the model at #{seq}, {helped} {did}."), [seq, next])
        }
        None => Sentence::new(
            format!("The loop guard nudged the model at #{seq}; what it did then is not in the log."),
            [seq],
        ),
    }
}
