//! Loops: repeated tool calls, with the differences between iterations and what they cost.

use protocol::RunStatus;
use protocol::json::preview;
use protocol::timeline::{NoteKind, Repetition, Sentence, Timeline, ToolCall, Turn, batch_changes, same_batch};

/// Iterations shown per loop: the first ones and the last ones.
const MAX_ITERATIONS: usize = 12;
/// Loops shown per run.
const MAX_LOOPS: usize = 10;
const PREVIEW_CHARS: usize = 120;
/// The answer of an iteration whose results equal those of the iteration before.
pub const SAME_AS_BEFORE: &str = "the same as before";

#[derive(Clone, Debug, PartialEq)]
pub struct LoopDetail {
    pub tools: String,
    pub turns: usize,
    pub iterations: Vec<Iteration>,
    /// Iterations in the middle that are not shown.
    pub left_out: usize,
    pub sentences: Vec<Sentence>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    pub number: usize,
    pub seq: u64,
    pub kind: IterationKind,
    /// For the first iteration its arguments; for the others the changes.
    pub arguments: Vec<String>,
    pub answers: Vec<String>,
    /// The loop guard's action in this iteration.
    pub guard: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationKind {
    First,
    FirstWasted,
    Wasted,
    /// The calls after the loop.
    After,
}

/// Returns the loops of a run in log order.
pub fn find_loops(timeline: &Timeline) -> Vec<LoopDetail> {
    timeline.repetitions().into_iter().take(MAX_LOOPS).map(|repetition| loop_detail(timeline, &repetition)).collect()
}

fn loop_detail(timeline: &Timeline, repetition: &Repetition) -> LoopDetail {
    let calls_something = |turn: &&Turn| turn.calls().any(|call| !call.is_orphan_result());
    let turns = timeline.turns.iter().map(AsRef::as_ref);
    let looping: Vec<&Turn> =
        turns.clone().filter(|turn| repetition.contains_turn(turn.index)).filter(calls_something).collect();
    let after = turns.clone().skip(repetition.last_turn + 1).find(calls_something);

    let mut iterations = Vec::new();
    let mut before: Option<&Turn> = None;
    for (place, turn) in looping.iter().copied().chain(after).enumerate() {
        let kind = match place {
            _ if place >= looping.len() => IterationKind::After,
            0 => IterationKind::First,
            1 => IterationKind::FirstWasted,
            _ => IterationKind::Wasted,
        };
        iterations.push(Iteration {
            number: place + 1,
            seq: turn.calls().next().map_or(turn.first_seq, |call| call.seq),
            kind,
            arguments: before.map_or_else(|| arguments(turn), |before| changed(before, turn)),
            answers: answers(before, turn, timeline.status()),
            guard: turn.notes().find_map(|note| guard(&note.kind)),
        });
        before = Some(turn);
    }
    let left_out = iterations.len().saturating_sub(MAX_ITERATIONS);
    let head = MAX_ITERATIONS / 2;
    iterations.drain(head.min(iterations.len())..(head + left_out).min(iterations.len()));
    LoopDetail {
        tools: repetition.tools.join(", "),
        turns: repetition.turns,
        iterations,
        left_out,
        sentences: cost(timeline, repetition),
    }
}

fn arguments(turn: &Turn) -> Vec<String> {
    turn.calls().map(|call| format!("{}({})", call.name, short(&call.input.to_string()))).collect()
}

/// One line per change since the batch before; none if they are the same.
fn changed(before: &Turn, after: &Turn) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in batch_changes(before, after) {
        match (batch.before_seq, batch.after_seq) {
            (Some(_), None) => lines.push(format!("{} is not called any more", batch.tool)),
            (None, Some(_)) => lines.push(format!("{} is called", batch.tool)),
            _ => lines.extend(batch.changes.into_iter().map(|change| {
                let side =
                    |value: Option<serde_json::Value>| value.map_or("nothing".to_owned(), |v| short(&v.to_string()));
                format!("{}{}: {} → {}", batch.tool, change.pointer, side(change.before), side(change.after))
            })),
        }
    }
    lines
}

/// The results, or that they are the same as before.
fn answers(before: Option<&Turn>, turn: &Turn, status: RunStatus) -> Vec<String> {
    let result = |call: &ToolCall| match &call.answer {
        None if status.is_terminal() => "no answer".to_owned(),
        None => "no answer yet".to_owned(),
        Some(answer) if answer.ok => short(&text_of(&answer.body)),
        Some(answer) => format!("error: {}", short(&text_of(&answer.body))),
    };
    let now: Vec<String> = turn.calls().map(result).collect();
    let same = before.is_some_and(|before| before.calls().map(result).eq(now.iter().cloned()));
    if same { vec![SAME_AS_BEFORE.to_owned()] } else { now }
}

fn guard(kind: &NoteKind) -> Option<String> {
    match kind {
        NoteKind::LoopDetected { hard_cutoff: false, .. } => Some("nudged".to_owned()),
        NoteKind::LoopDetected { hard_cutoff: true, .. } => Some("gave up, tools off".to_owned()),
        NoteKind::BudgetExceeded { .. } => Some("over budget".to_owned()),
        NoteKind::Supervisor { action, .. } if action != "on_track" => Some(format!("supervisor: {action}")),
        _ => None,
    }
}

/// The cost from the first wasted step on, as far as the log has it.
fn cost(timeline: &Timeline, repetition: &Repetition) -> Vec<Sentence> {
    let wasted = repetition.turns - 1;
    let turns = if wasted == 1 { "1 turn".to_owned() } else { format!("{wasted} turns") };
    let count = |calls: usize| if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
    let skipped = timeline.skipped_turns(repetition) * repetition.calls_per_turn;
    let calls = count(repetition.wasted_calls().saturating_sub(skipped));
    let skips = match skipped {
        0 => String::new(),
        1 => " 1 call was skipped.".to_owned(),
        skipped => format!(" {skipped} calls were skipped."),
    };
    let mut sentences = vec![Sentence {
        text: format!("From the first wasted step on, {turns} and {calls} added nothing new.{skips}"),
        seqs: vec![repetition.first_wasted_seq],
    }];
    sentences.extend(guard_effect(timeline, repetition));
    if let Some(tokens) = timeline.outcome.as_ref().and_then(|outcome| outcome.tokens) {
        let share = wasted * 100 / timeline.turns.len().max(1);
        sentences.push(Sentence {
            text: format!(
                "That is {share} % of the run's turns. The run took {} tokens in all; tokens aren't recorded per turn.",
                app::format::grouped(tokens.total())
            ),
            seqs: Vec::new(),
        });
    }
    sentences
}

/// Says if the guard's first nudge ended the loop.
fn guard_effect(timeline: &Timeline, repetition: &Repetition) -> Option<Sentence> {
    let looping = || timeline.turns.iter().filter(|turn| repetition.contains_turn(turn.index));
    let nudge = looping().find_map(|turn| {
        let is_nudge = |kind: &NoteKind| matches!(kind, NoteKind::LoopDetected { hard_cutoff: false, .. });
        turn.notes().find(|note| is_nudge(&note.kind)).map(|note| (turn.index, note.seq))
    });
    let over = timeline.status().is_terminal();
    let Some((turn, seq)) = nudge else {
        let reported = looping().any(|turn| turn.notes().any(|note| guard(&note.kind).is_some()));
        let text = match went_on(timeline, repetition) || over {
            true => "No guard intervened: the loop ended by itself, or with the run.",
            false => "No guard has intervened so far.",
        };
        return (!reported).then(|| Sentence { text: text.to_owned(), seqs: vec![repetition.last_seq] });
    };
    let text = match repetition.last_turn - turn {
        0 if went_on(timeline, repetition) => {
            "The guard's nudge worked: the same calls were not requested again.".to_owned()
        }
        0 if over => "The log doesn't show whether the guard's nudge worked.".to_owned(),
        0 => "It's too early to tell whether the guard's nudge worked.".to_owned(),
        1 => "The guard's nudge did not work: the same calls were requested once more.".to_owned(),
        more => format!("The guard's nudge did not work: the same calls were requested in {more} more turns."),
    };
    Some(Sentence { text, seqs: vec![seq] })
}

/// Returns true if the model did something else after the loop.
fn went_on(timeline: &Timeline, repetition: &Repetition) -> bool {
    let last = timeline.turns.get(repetition.last_turn);
    let is_other = |turn: &Turn| {
        let calls = turn.calls().any(|call| !call.is_orphan_result());
        // A batch that no message announced is compared with the one before only when its turn has ended.
        if calls { last.is_none_or(|last| !same_batch(last, turn)) } else { turn.message_seq.is_some() }
    };
    timeline.turns.iter().skip(repetition.last_turn + 1).any(|turn| is_other(turn))
}

fn text_of(body: &serde_json::Value) -> String {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
}

fn short(text: &str) -> String {
    preview(text, PREVIEW_CHARS)
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::{Value, json};

    use super::*;

    /// Each batch is one turn that calls `recall` once; the last event is the guard's, in the third turn.
    fn looping(arguments: &[Value]) -> Timeline {
        let mut events = Vec::new();
        let mut push = |kind: &str, data: Value| events.push(Event::new(events.len() as u64 + 1, kind, data));
        for (turn, arguments) in arguments.iter().enumerate() {
            let id = format!("t{turn}");
            let call = json!({ "id": id, "name": "recall", "args": arguments });
            push("assistant_message", json!({ "text": "", "toolCalls": [call] }));
            push("tool_call", json!({ "toolUseId": id, "name": "recall", "args": arguments }));
            push("tool_result", json!({ "toolUseId": id, "name": "recall", "result": "nothing found" }));
            if turn == 2 {
                push("loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": false, "toolNames": ["recall"] }));
            }
        }
        Timeline::from_events(&events)
    }

    #[test]
    fn iterations_have_their_changes_results_and_guard_actions() {
        let same = json!({ "q": "refund" });
        let loops = find_loops(&looping(&[same.clone(), same.clone(), same, json!({ "q": "invoice" })]));
        let [detail] = loops.as_slice() else { panic!("{loops:?}") };
        assert_eq!((detail.tools.as_str(), detail.turns, detail.left_out), ("recall", 3, 0));
        let kinds: Vec<IterationKind> = detail.iterations.iter().map(|iteration| iteration.kind).collect();
        use IterationKind::*;
        assert_eq!(kinds, [First, FirstWasted, Wasted, After]);
        assert_eq!(detail.iterations[0].arguments, [r#"recall({"q":"refund"})"#]);
        assert_eq!(detail.iterations[1].arguments, Vec::<String>::new());
        assert_eq!(detail.iterations[1].answers, [SAME_AS_BEFORE]);
        assert_eq!(detail.iterations[2].guard.as_deref(), Some("nudged"));
        assert_eq!(detail.iterations[3].arguments, [r#"recall/q: "refund" → "invoice""#]);
        assert!(detail.sentences[0].text.contains("2 turns and 1 call added"), "{:?}", detail.sentences);
        assert!(detail.sentences[0].text.ends_with("1 call was skipped."), "{:?}", detail.sentences);
        assert!(detail.sentences[1].text.contains("nudge worked"), "{:?}", detail.sentences);
    }

    #[test]
    fn the_effect_of_a_nudge_is_reported_once_it_is_known() {
        let same = json!({ "q": "refund" });
        let mut timeline = looping(&[same.clone(), same.clone(), same.clone()]);
        let next_seq = timeline.last_seq() + 1;
        let guard_sentence = |timeline: &Timeline| find_loops(timeline)[0].sentences[1].text.clone();
        assert!(guard_sentence(&timeline).contains("too early to tell"), "{}", guard_sentence(&timeline));

        // Text that is still being written doesn't count as an action.
        timeline.apply(&Event::new(next_seq, "assistant_delta", json!({ "text": "Let me" })));
        assert!(guard_sentence(&timeline).contains("too early to tell"), "{}", guard_sentence(&timeline));

        let mut again = timeline.clone();
        let call = json!({ "id": "again", "name": "recall", "args": same });
        again.apply(&Event::new(next_seq + 1, "assistant_message", json!({ "text": "", "toolCalls": [call] })));
        assert!(guard_sentence(&again).contains("did not work"), "{}", guard_sentence(&again));

        let mut cancelled = timeline.clone();
        cancelled.apply(&Event::new(next_seq + 1, "cancelled", json!({})));
        assert!(guard_sentence(&cancelled).contains("doesn't show whether"), "{}", guard_sentence(&cancelled));

        timeline.apply(&Event::new(next_seq + 1, "assistant_message", json!({ "text": "Let me say it." })));
        assert!(guard_sentence(&timeline).contains("nudge worked:"), "{}", guard_sentence(&timeline));
    }

    #[test]
    fn a_loop_in_progress_has_no_guard_action_and_may_have_a_waiting_call() {
        let mut timeline = looping(&[json!({}), json!({})]);
        let guard_sentence = |timeline: &Timeline| find_loops(timeline)[0].sentences[1].text.clone();
        assert!(guard_sentence(&timeline).contains("so far"), "{}", guard_sentence(&timeline));
        let call = json!({ "id": "open", "name": "recall", "args": {} });
        timeline.apply(&Event::new(7, "assistant_message", json!({ "text": "", "toolCalls": [call] })));
        let last = |timeline: &Timeline| find_loops(timeline)[0].iterations.last().map(|last| last.answers.clone());
        assert_eq!(last(&timeline), Some(vec!["no answer yet".to_owned()]));
        timeline.apply(&Event::new(8, "cancelled", json!({})));
        assert_eq!(last(&timeline), Some(vec!["no answer".to_owned()]));
        assert!(guard_sentence(&timeline).contains("No guard intervened"), "{}", guard_sentence(&timeline));
    }

    #[test]
    fn a_long_loop_shows_its_first_and_last_iterations() {
        let loops = find_loops(&looping(&vec![json!({}); 40]));
        assert_eq!((loops[0].iterations.len(), loops[0].left_out), (MAX_ITERATIONS, 28));
        assert_eq!(loops[0].iterations.last().map(|iteration| iteration.number), Some(40));
        assert!(loops[0].sentences[1].text.contains("in 37 more turns"), "{:?}", loops[0].sentences);
    }

    #[test]
    fn different_calls_are_not_a_loop() {
        assert_eq!(find_loops(&looping(&[json!({ "q": 1 }), json!({ "q": 2 })])), []);
    }
}
