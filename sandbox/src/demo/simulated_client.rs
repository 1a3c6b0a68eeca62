//! A simulated client of the demonstration: follows a run and answers its local tools.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::scenario::Answer;
use crate::api::errors::ApiError;
use crate::api::tool_results;
use crate::app::App;
use crate::clock::Clock;
use crate::follow::Follower;
use crate::store::StoredEvent;

/// The timeout of local tools, which the demonstration leaves as it is.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Answers the local tools of a run until it ends.
pub async fn follow_run(
    app: &App,
    workspace: &str,
    run_id: &str,
    clock: &Clock,
    answers: &HashMap<String, Answer>,
) -> Result<(), ApiError> {
    let mut follower = Follower::new(app, run_id.to_owned(), 0);
    while let Some(events) = follower.next().await? {
        for event in events.iter().filter(|event| event.kind == "local_tool_call") {
            react(app, workspace, run_id, clock, event, answers).await?;
        }
    }
    Ok(())
}

async fn react(
    app: &App,
    workspace: &str,
    run_id: &str,
    clock: &Clock,
    event: &StoredEvent,
    answers: &HashMap<String, Answer>,
) -> Result<(), ApiError> {
    let call: Value = serde_json::from_str(&event.data).unwrap_or_default();
    let answer = call["name"].as_str().and_then(|name| answers.get(name)).unwrap_or(&Answer::Silence);
    let (after_ms, body) = match answer {
        Answer::Result { after_ms, text } => (after_ms, json!({ "toolUseId": call["toolUseId"], "result": text })),
        Answer::Error { after_ms, text } => (after_ms, json!({ "toolUseId": call["toolUseId"], "error": text })),
        Answer::Cancel { after_ms } => {
            clock.advance(Duration::from_millis(*after_ms));
            app.engine.cancel(run_id, "user");
            return Ok(());
        }
        Answer::Silence => {
            clock.advance(TIMEOUT);
            return Ok(());
        }
    };
    clock.advance(Duration::from_millis(*after_ms));
    tool_results::submit(app, workspace, run_id, &body).await
}
