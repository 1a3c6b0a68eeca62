//! Finds the most similar successful run.

use domain::{RunSort, RunSummary};
use protocol::RunStatus;
use protocol::query::{Clause, Field, Is, Query, Term};

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;

/// Successful runs that are considered.
const CANDIDATES: u32 = 100;

/// Returns the most similar successful run of the same agent or name, and the reason.
pub async fn most_similar_run(
    state: &AppState,
    caller: &Caller,
    run: &RunSummary,
) -> Result<Option<(RunSummary, String)>, Error> {
    let (field, value) = match (&run.agent_id, &run.name) {
        (Some(agent), _) => (Field::Agent, agent.clone()),
        (None, Some(name)) => (Field::Name, name.clone()),
        (None, None) => return Ok(None),
    };
    let required = [Term::Status(RunStatus::Succeeded), Term::Field { field, value }].map(Clause::from);
    // A run with problems is not a good example.
    let problems = [Is::Looping, Is::Truncated, Is::Budget].map(|is| Clause { negated: true, ..Term::Is(is).into() });
    let query = Query { clauses: required.into_iter().chain(problems).collect() };
    // The best match may be newer than the last sync.
    state.mirror.sync_newest(state, caller).await?;
    let plan = state.store.plan(caller.workspace_id, &query, now_ms()).await?;
    let found = state.store.list_runs(&plan, RunSort::default(), None, CANDIDATES).await?;
    let similarity = |other: &RunSummary| {
        let shared = run.metadata.iter().filter(|(key, value)| other.metadata.get(*key) == Some(*value)).count();
        (shared, other.input_preview == run.input_preview, other.model == run.model)
    };
    // Newest first; among equals the newest wins.
    let same_name = |other: &RunSummary| match &run.agent_id {
        Some(agent) => [&other.agent_id, &other.name].contains(&&Some(agent.clone())),
        None => other.name == run.name,
    };
    // A name in a filter also finds longer ones.
    let others = found.runs.into_iter().filter(|other| other.id != run.id && same_name(other)).rev();
    Ok(others.max_by_key(|other| similarity(other)).map(|similar| {
        let (shared, same_prompt, same_model) = similarity(&similar);
        let mut reasons = vec![match &run.agent_id {
            Some(agent) => format!("same agent `{agent}`"),
            None => format!("same name `{}`", run.name.as_deref().unwrap_or_default()),
        }];
        if shared > 0 {
            let values = run.metadata.iter().filter(|(key, value)| similar.metadata.get(*key) == Some(*value));
            let values: Vec<String> = values.map(|(key, value)| format!("{key}:{value}")).collect();
            reasons.push(format!("same {}", values.join(", ")));
        }
        reasons.extend(same_prompt.then(|| "same prompt".to_owned()));
        reasons.extend(same_model.then(|| "same model".to_owned()));
        (similar, format!("The most similar successful run: {}.", reasons.join("; ")))
    }))
}
