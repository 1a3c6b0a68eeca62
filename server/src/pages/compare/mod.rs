//! Two runs side by side, and the nearest good twin of one that went wrong.

mod excerpt;
mod turns;
mod twin;

use app::format;
use app::model::{ComparedRun, Comparison, Excerpt, Parting, SpecDifference};
use domain::RunSummary;
use protocol::timeline::{Timeline, align, changes};
use serde_json::Value;

use crate::auth::Caller;
use crate::error::Error;
use crate::run_pages;
use crate::state::AppState;
use crate::workspace::find_run;
use excerpt::excerpts;
use twin::nearest_twin;

const MAX_SPEC_DIFFERENCES: usize = 100;
const SPEC_CHARS: usize = 240;
const ANSWER_CHARS: usize = 4_000;

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
        let left = head(&run, one, excerpt::whole(one.answer(), ANSWER_CHARS));
        return Ok(Comparison {
            left,
            right: None,
            reason: None,
            divergence: None,
            alike_before: 0,
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
    let specs = (run_pages::spec(state, caller, &run.id).await?, run_pages::spec(state, caller, &other.id).await?);
    let (left, right) = heads((&run, one), (&other, two));
    let (before, turns, after) = turns::around_the_parting(&alignment, one, two);
    Ok(Comparison {
        left,
        right: Some(right),
        reason,
        alike_before: before,
        turns,
        left_out: after,
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

fn heads(left: (&RunSummary, &Timeline), right: (&RunSummary, &Timeline)) -> (ComparedRun, ComparedRun) {
    let (one, other) = excerpts(Some(left.1.answer()), Some(right.1.answer()), ANSWER_CHARS);
    (head(left.0, left.1, one.unwrap_or_default()), head(right.0, right.1, other.unwrap_or_default()))
}

fn head(run: &RunSummary, timeline: &Timeline, answer: Excerpt) -> ComparedRun {
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
        answer,
    }
}

fn spec_differences(left: &Value, right: &Value) -> Vec<SpecDifference> {
    let found = changes(left, right).into_iter().take(MAX_SPEC_DIFFERENCES);
    let texts = |value: Option<Value>| value.map(|value| value.to_string());
    found
        .map(|change| {
            let (left, right) = excerpts(texts(change.before).as_deref(), texts(change.after).as_deref(), SPEC_CHARS);
            SpecDifference { pointer: change.pointer, left, right }
        })
        .collect()
}
