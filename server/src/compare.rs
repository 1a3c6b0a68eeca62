//! Two runs side by side, and the nearest good twin of one that went wrong.

use app::format;
use app::model::{ComparedCall, ComparedRun, ComparedTurn, Comparison, Parting, RunSummary, SpecDifference, TurnLines};
use protocol::RunStatus;
use protocol::json::preview;
use protocol::query::{Clause, Field, Query, Term};
use protocol::timeline::{Timeline, ToolCall, Turn, TurnPair, align, changes};
use serde_json::Value;

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::run_pages;
use crate::state::AppState;
use crate::workspace::find_run;

/// Turns that are drawn.
const MAX_TURNS: usize = 60;
const TEXT_CHARS: usize = 600;
const CALL_CHARS: usize = 240;
const ANSWER_CHARS: usize = 4_000;
/// Runs among which a twin is looked for.
const CANDIDATES: u32 = 100;

pub async fn compare(state: &AppState, caller: &Caller, left: &str, right: Option<&str>) -> Result<Comparison, Error> {
    let (run, _) = find_run(state, caller, left).await?;
    let (other, reason) = match right {
        Some(id) => (Some(find_run(state, caller, id).await?.0), None),
        None => match nearest_twin(state, caller, &run).await? {
            Some((twin, reason)) => (Some(find_run(state, caller, &twin.id).await?.0), Some(reason)),
            None => (None, None),
        },
    };
    let replay = state.timelines.replay(state, caller, &run.id).await?;
    let one = replay.latest();
    let Some(other) = other else {
        let left = head(&run, one);
        return Ok(Comparison {
            left,
            right: None,
            reason: None,
            divergence: None,
            turns: vec![],
            left_out: 0,
            spec: vec![],
            spec_unknown: None,
            launchable: (false, false),
        });
    };
    let other_replay = state.timelines.replay(state, caller, &other.id).await?;
    let two = other_replay.latest();
    let alignment = align(one, two);
    let parts_at = alignment.divergence.as_ref().map(|divergence| divergence.turn);
    let specs = (run_pages::spec(state, caller, &run.id).await?, run_pages::spec(state, caller, &other.id).await?);
    Ok(Comparison {
        left: head(&run, one),
        right: Some(head(&other, two)),
        reason,
        left_out: alignment.turns.len().saturating_sub(MAX_TURNS),
        turns: alignment
            .turns
            .iter()
            .enumerate()
            .take(MAX_TURNS)
            .map(|(index, pair)| ComparedTurn {
                number: index + 1,
                same: pair.same,
                parts_here: !pair.same && parts_at == Some(index),
                left: pair.left.and_then(|turn| one.turns.get(turn)).map(|turn| lines(turn, pair, |call| call.left)),
                right: pair.right.and_then(|turn| two.turns.get(turn)).map(|turn| lines(turn, pair, |call| call.right)),
            })
            .collect(),
        divergence: alignment.divergence.map(|divergence| Parting {
            text: divergence.in_words(),
            left_seq: divergence.left_seq,
            right_seq: divergence.right_seq,
        }),
        launchable: (specs.0.is_some(), specs.1.is_some()),
        spec_unknown: match &specs {
            (Some(_), Some(_)) => None,
            (None, None) => {
                Some("The specs of both runs are unknown, so whether they differ is unknown too.".to_owned())
            }
            (left, _) => {
                let side = if left.is_none() { "left" } else { "right" };
                Some(format!("The spec of the {side} run is unknown, so whether the specs differ is unknown too."))
            }
        },
        spec: match specs {
            (Some(left), Some(right)) => spec_differences(&left, &right),
            _ => Vec::new(),
        },
    })
}

/// The most similar run that succeeded, of the same agent or name, and why it is that one.
async fn nearest_twin(
    state: &AppState,
    caller: &Caller,
    run: &RunSummary,
) -> Result<Option<(RunSummary, String)>, Error> {
    let (field, value) = match (&run.agent_id, &run.name) {
        (Some(agent), _) => (Field::Agent, agent.clone()),
        (None, Some(name)) => (Field::Name, name.clone()),
        (None, None) => return Ok(None),
    };
    let clauses = [Term::Status(RunStatus::Succeeded), Term::Field { field, value }];
    let query = Query { clauses: clauses.map(Clause::from).to_vec() };
    // The twin may be newer than the last look at the list; where MANTYX is out of reach, what is stored will do.
    state.mirror.sync_newest(state, caller).await?;
    let found = state.store.list_runs(caller.workspace_id, &query, None, CANDIDATES, now_ms()).await?;
    let likeness = |other: &RunSummary| {
        let shared = run.metadata.iter().filter(|(key, value)| other.metadata.get(*key) == Some(*value)).count();
        (shared, other.input_preview == run.input_preview, other.model == run.model)
    };
    // Newest first, and the first of several equals is kept.
    let others = found.runs.into_iter().filter(|other| other.id != run.id).rev();
    Ok(others.max_by_key(|other| likeness(other)).map(|twin| {
        let (shared, same_prompt, same_model) = likeness(&twin);
        let mut like = vec![match &run.agent_id {
            Some(agent) => format!("of the same agent `{agent}`"),
            None => format!("of the same name `{}`", run.name.as_deref().unwrap_or_default()),
        }];
        if shared > 0 {
            let values = run.metadata.iter().filter(|(key, value)| twin.metadata.get(*key) == Some(*value));
            let values: Vec<String> = values.map(|(key, value)| format!("{key}:{value}")).collect();
            like.push(format!("with the same {}", values.join(", ")));
        }
        like.extend(same_prompt.then(|| "with the same prompt".to_owned()));
        like.extend(same_model.then(|| "on the same model".to_owned()));
        (twin, format!("The nearest good twin: the most similar run that succeeded, {}.", like.join(", ")))
    }))
}

fn head(run: &RunSummary, timeline: &Timeline) -> ComparedRun {
    let figures = [
        ("Model", run.model.clone()),
        ("Turns", Some(format::grouped(timeline.totals.turns))),
        ("Tool calls", Some(format::grouped(timeline.totals.calls))),
        ("Tokens", run.tokens.map(|tokens| format::grouped(tokens.total()))),
        ("Duration", run.duration_ms.map(format::duration)),
    ];
    ComparedRun {
        id: run.id.clone(),
        title: run.title(),
        status: timeline.status(),
        figures: figures.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
        answer: preview_lines(timeline.answer(), ANSWER_CHARS),
    }
}

fn lines(turn: &Turn, pair: &TurnPair, place: impl Fn(&protocol::timeline::CallPair) -> Option<usize>) -> TurnLines {
    let calls = pair.calls.iter().filter_map(|compared| {
        let call = turn.entries.get(place(compared)?)?.as_call()?;
        Some(ComparedCall {
            call: format!("{}({})", call.name, preview(&call.input.to_string(), CALL_CHARS)),
            answer: answer(call),
            same_call: compared.same_call,
            same_answer: compared.same_answer,
        })
    });
    TurnLines { seq: turn.anchor_seq(), text: preview_lines(&turn.text, TEXT_CHARS), calls: calls.collect() }
}

fn answer(call: &ToolCall) -> String {
    let text = |body: &Value| body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    match &call.answer {
        None => "no answer".to_owned(),
        Some(answer) if answer.ok => format!("→ {}", preview(&text(&answer.body), CALL_CHARS)),
        Some(answer) => format!("→ error: {}", preview(&text(&answer.body), CALL_CHARS)),
    }
}

fn spec_differences(left: &Value, right: &Value) -> Vec<SpecDifference> {
    let text = |value: Option<Value>| value.map(|value| preview(&value.to_string(), CALL_CHARS));
    let found = changes(left, right).into_iter().take(100);
    found
        .map(|change| SpecDifference { pointer: change.pointer, left: text(change.before), right: text(change.after) })
        .collect()
}

/// The beginning of a text, with its line breaks.
fn preview_lines(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
