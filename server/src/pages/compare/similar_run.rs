//! A run to hold beside one that went wrong.

use domain::RunSummary;
use protocol::RunStatus;
use protocol::query::{Clause, Field, Is, Query, Term};

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::state::AppState;

/// Runs among which a twin is looked for.
const CANDIDATES: u32 = 100;

/// The most similar run that went well, of the same agent or name, and why it is that one.
pub async fn nearest_twin(
    state: &AppState,
    caller: &Caller,
    run: &RunSummary,
) -> Result<Option<(RunSummary, String)>, Error> {
    let (field, value) = match (&run.agent_id, &run.name) {
        (Some(agent), _) => (Field::Agent, agent.clone()),
        (None, Some(name)) => (Field::Name, name.clone()),
        (None, None) => return Ok(None),
    };
    let wanted = [Term::Status(RunStatus::Succeeded), Term::Field { field, value }].map(Clause::from);
    // What went wrong on the way to an answer is no example.
    let faults = [Is::Looping, Is::Truncated, Is::Budget].map(|is| Clause { negated: true, ..Term::Is(is).into() });
    let query = Query { clauses: wanted.into_iter().chain(faults).collect() };
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
        (twin, format!("The nearest good twin: the most similar run that went well, {}.", like.join(", ")))
    }))
}
