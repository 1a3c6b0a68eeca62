//! The comparison of two runs.

mod excerpt;
mod setup;
mod similar_run;
mod times;
mod turns;

use app::format;
use app::model::compare::{ComparedRun, ComparisonModel, Excerpt, FirstDifference};
use domain::RunSummary;
use protocol::timeline::{Timeline, Timing, align};

use crate::auth::Caller;
use crate::error::Error;
use crate::masking::{mask_document, mask_runs, masked};
use crate::runs::{find_run, masked_spec};
use crate::state::AppState;
use crate::workspace::SignedInWorkspace;
use excerpt::excerpts;
use setup::Setup;
use similar_run::most_similar_run;
use turns::TimedRun;

const ANSWER_CHARS: usize = 4_000;

/// Without `right`, compares with the most similar successful run.
pub async fn load(workspace: &SignedInWorkspace, left: &str, right: Option<&str>) -> Result<ComparisonModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let (run, _) = find_run(state, caller, left).await?;
    let (other, reason) = match right {
        Some(id) => (Some(find_run(state, caller, id).await?.0), None),
        None => match run_to_compare_with(state, caller, &run).await? {
            Some((other, reason)) => (Some(find_run(state, caller, &other).await?.0), Some(reason)),
            None => (None, None),
        },
    };
    let replay = state.timelines.replay(state, caller, &run.id).await?;
    let one = replay.latest();
    let Some(other) = other else {
        let left = head(&run, one, excerpt::whole(one.answer(), ANSWER_CHARS));
        return Ok(ComparisonModel {
            left,
            right: None,
            reason: None,
            first_difference: None,
            same_before: 0,
            turns: vec![],
            times: vec![],
            more_after: 0,
            setup: vec![],
            spec_unknown: None,
            launchable: (false, false),
        });
    };
    let other_replay = state.timelines.replay(state, caller, &other.id).await?;
    let two = other_replay.latest();
    let alignment = align(one, two);
    let mut specs = (masked_spec(state, caller, &run.id).await?, masked_spec(state, caller, &other.id).await?);
    specs.0.iter_mut().chain(&mut specs.1).for_each(mask_document);
    let (left, right) = heads((&run, one), (&other, two));
    let timings = (Timing::of(one, run.asked_at_ms()), Timing::of(two, other.asked_at_ms()));
    let (before, turns, after) = turns::around_first_difference(
        &alignment,
        TimedRun { timeline: one, timing: timings.0.as_ref() },
        TimedRun { timeline: two, timing: timings.1.as_ref() },
    );
    Ok(ComparisonModel {
        left,
        right: Some(right),
        reason: reason.map(|reason| masked(&reason).into_owned()),
        same_before: before,
        turns,
        more_after: after,
        times: times::compared(timings.0.as_ref(), timings.1.as_ref()),
        first_difference: alignment.divergence.map(|divergence| FirstDifference {
            text: masked(&divergence.describe()).into_owned(),
            left_seq: divergence.left_seq,
            right_seq: divergence.right_seq,
        }),
        launchable: (specs.0.is_some(), specs.1.is_some()),
        spec_unknown: match &specs {
            (Some(_), Some(_)) => None,
            (None, None) => Some("The specs of both runs are not available, so they can't be compared.".to_owned()),
            (left, _) => {
                let side = if left.is_none() { "left" } else { "right" };
                Some(format!("The spec of the {side} run is not available, so the specs can't be compared."))
            }
        },
        setup: setup::differences(
            Setup { run: &run, spec: specs.0.as_ref() },
            Setup { run: &other, spec: specs.1.as_ref() },
        ),
    })
}

/// Returns the id of the most similar successful run, or of the run that this one was relaunched from, and the reason.
async fn run_to_compare_with(
    state: &AppState,
    caller: &Caller,
    run: &RunSummary,
) -> Result<Option<(String, String)>, Error> {
    if let Some((similar, reason)) = most_similar_run(state, caller, run).await? {
        return Ok(Some((similar.id, reason)));
    }
    let origin = state.store.origin_of_run(caller.workspace_id, &run.id).await?;
    Ok(origin.map(|origin| (origin, "The run that this one was relaunched from.".to_owned())))
}

fn heads(left: (&RunSummary, &Timeline), right: (&RunSummary, &Timeline)) -> (ComparedRun, ComparedRun) {
    let (one, other) = excerpts(Some(left.1.answer()), Some(right.1.answer()), ANSWER_CHARS);
    (head(left.0, left.1, one.unwrap_or_default()), head(right.0, right.1, other.unwrap_or_default()))
}

fn head(run: &RunSummary, timeline: &Timeline, answer: Excerpt) -> ComparedRun {
    let mut run = run.clone();
    mask_runs([&mut run]);
    let figures = [
        ("Model", run.model.clone()),
        ("Turns", Some(format::grouped(timeline.totals.turns))),
        ("Tool calls", Some(format::grouped(timeline.made_calls()))),
        ("Tokens", run.tokens.map(|tokens| format::grouped(tokens.total()))),
        ("Cost", run.cost_micros.map(format::dollars)),
        ("Duration", run.duration_ms.map(format::duration)),
        ("Reason", run.reason.clone()),
    ];
    ComparedRun {
        id: run.id.clone(),
        title: run.title(),
        status: timeline.status(),
        figures: figures.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
        answer,
    }
}
