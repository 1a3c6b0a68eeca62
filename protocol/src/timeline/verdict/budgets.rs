//! Tools that used up their budget, and the reaction of the model.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Sentence;
use super::reaction::reaction;
use crate::timeline::format::{count, tool};
use crate::timeline::{NoteKind, Timeline};

const MAX_SENTENCES: usize = 2;

#[derive(Default)]
struct Overrun {
    max_calls: u64,
    stopped: u64,
    first_seq: u64,
    last_turn: usize,
}

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let mut overruns: BTreeMap<&str, Overrun> = BTreeMap::new();
    for turn in &timeline.turns {
        for note in turn.notes() {
            if let NoteKind::BudgetExceeded { tool, max_calls, .. } = &note.kind {
                let overrun = overruns.entry(tool).or_insert(Overrun { first_seq: note.seq, ..Overrun::default() });
                (overrun.max_calls, overrun.last_turn) = (*max_calls, turn.index);
                overrun.stopped += 1;
            }
        }
    }
    let mut overruns: Vec<_> = overruns.into_iter().collect();
    overruns.sort_by_key(|(_, overrun)| overrun.first_seq);
    let unmentioned = overruns.len().saturating_sub(MAX_SENTENCES) as u64;
    overruns.truncate(MAX_SENTENCES);
    let mut sentences: Vec<Sentence> =
        overruns.iter().map(|(name, overrun)| sentence(timeline, name, overrun)).collect();
    if unmentioned > 0 {
        let did = if unmentioned == 1 { "used up its budget" } else { "used up their budgets" };
        sentences.push(Sentence::new(format!("{} {did}.", count(unmentioned, "other tool")), []));
    }
    sentences
}

fn sentence(timeline: &Timeline, name: &str, overrun: &Overrun) -> Sentence {
    let Overrun { max_calls, stopped, first_seq, last_turn } = overrun;
    let shown = tool(name);
    let mut seqs = vec![*first_seq];
    let more = match (max_calls, stopped) {
        (0, 1) => format!("{shown} is turned off in this run (budget 0), so a call to it was stopped"),
        (0, n) => {
            format!("{shown} is turned off in this run (budget 0), so {} to it were stopped", count(*n, "call"))
        }
        (_, 1) => format!("{shown} used up its budget of {}, and 1 more was stopped", count(*max_calls, "call")),
        (_, n) => format!("{shown} used up its budget of {}, and {n} more were stopped", count(*max_calls, "call")),
    };
    let then = reaction(timeline, *last_turn).describe().map(|(did, seq)| {
        seqs.push(seq);
        format!("; then the model {did}")
    });
    Sentence::new(format!("{more}{}.", then.unwrap_or_default()), seqs)
}
