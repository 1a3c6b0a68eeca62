//! Checks of the engine around the script model: supervisor, plan, fallback model, heartbeat.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::probe::{Probe, last, list, of_kind};
use super::{Absent, checks};

checks!(true:
    "a run that goes in circles is redirected, then finished" => supervisor,
    "a plan is logged by id and revision" => plan,
    "a run that only plans ends with its plan" => plan_only,
    "another model takes over in an outage" => fallback,
    "a failure that is no outage is not taken over" => no_fallback,
    "a silent stream says that it is still there" => heartbeat,
);

/// Longer than the heartbeat interval that proxies need.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Returns a built-in tool that answers at once.
fn recall() -> Value {
    json!([{ "kind": "mantyx", "id": "tool_recall" }])
}

async fn supervisor(probe: &Probe) -> Result<String> {
    let fields = json!({
        "supervisor": { "interval": 2 }, "tools": recall(), "toolBudgets": {}, "loopDetection": false,
    });
    let log = probe.script("/repeat 20\n/call recall {\"query\":\"x\"}", fields).await?;
    let reviews = of_kind(&log, "supervisor");
    let actions: Vec<&str> = reviews.iter().filter_map(|review| review["action"].as_str()).collect();
    ensure!(actions.first() == Some(&"redirect") && actions.last() == Some(&"finalize"), "{actions:?}");
    ensure!(reviews.iter().all(|review| review["reason"].is_string() && review["llmCalls"].is_u64()), "{reviews:?}");
    ensure!(reviews[0]["redirect"].is_string(), "no redirect in {}", reviews[0]);
    ensure!(last(&log)?.kind == "result", "it ended with {}", last(&log)?.kind);
    Ok(actions.join(", "))
}

fn update(first: &str, second: &str) -> String {
    let steps = json!([{ "title": "Look", "status": first }, { "title": "Tell", "status": second }]);
    format!("/call update_task_plan {}\n/say On.\n", json!({ "brief": "A check", "steps": steps }))
}

async fn plan(probe: &Probe) -> Result<String> {
    let prompt = update("in_progress", "pending") + &update("done", "in_progress");
    let log = probe.script(&prompt, json!({ "plan": "auto" })).await?;
    let plans = of_kind(&log, "task_plan");
    ensure!(plans.len() >= 2, "{} plans", plans.len());
    let revisions: Vec<u64> = plans.iter().filter_map(|plan| plan["revision"].as_u64()).collect();
    ensure!(revisions.len() == plans.len() && revisions.is_sorted() && revisions[0] < revisions[plans.len() - 1]);
    ensure!(plans.iter().all(|plan| plan["planId"] == plans[0]["planId"] && plan["planId"].is_string()), "{plans:?}");
    let statuses: Vec<&Value> = list(&plans[plans.len() - 1]["steps"]).iter().map(|step| &step["status"]).collect();
    ensure!(statuses == ["done", "in_progress"], "{statuses:?}");
    Ok(format!("revisions {revisions:?}"))
}

async fn plan_only(probe: &Probe) -> Result<String> {
    let log =
        probe.script("/say Never said.", json!({ "plan": { "planOnly": true, "steps": ["Look", "Tell"] } })).await?;
    let end = last(&log)?;
    let steps = list(&end.data["plan"]["steps"]).len();
    ensure!(end.kind == "result" && steps == 2, "{} {}", end.kind, end.data);
    Ok(format!("{steps} steps"))
}

/// Returns the id of another script model.
async fn other_script(probe: &Probe) -> Result<String> {
    let catalogue = probe.get("/models").await?.expect(200)?.body;
    let other = list(&catalogue["models"])
        .iter()
        .filter_map(|model| model["id"].as_str())
        .find(|id| id.starts_with("sandbox/script-"));
    other.map(str::to_owned).ok_or_else(|| Absent("there is no second model that follows script lines").into())
}

async fn fallback(probe: &Probe) -> Result<String> {
    let other = other_script(probe).await?;
    let log = probe.script("/fail overloaded\n/say Taken over.", json!({ "fallbackModelId": other })).await?;
    let switches = of_kind(&log, "model_fallback");
    ensure!(switches.len() == 1, "{switches:?}");
    let is_reported = switches[0]["errorClass"] == "overloaded" && switches[0]["fallbackModelId"] == other.as_str();
    ensure!(is_reported && switches[0]["primaryModelId"].is_string(), "{}", switches[0]);
    let end = last(&log)?;
    ensure!(end.data["text"] == "Taken over." && end.data["model"]["id"] == other.as_str(), "{}", end.data);
    Ok(other)
}

async fn no_fallback(probe: &Probe) -> Result<String> {
    let other = other_script(probe).await?;
    let classes = ["auth", "invalid_request", "context_window"];
    for class in classes {
        let log = probe.script(&format!("/fail {class}\n/say No."), json!({ "fallbackModelId": other })).await?;
        ensure!(of_kind(&log, "model_fallback").is_empty(), "{class} was taken over");
        ensure!(last(&log)?.data["errorClass"] == class, "{}", last(&log)?.data);
    }
    Ok(classes.join(", "))
}

async fn heartbeat(probe: &Probe) -> Result<String> {
    let tool = json!({ "kind": "local", "name": "look", "parameters": { "type": "object" } });
    let id = probe.launch_script("/call look {}", json!({ "tools": [tool] })).await?;
    let mut reader = probe.follow(&id, 0).await?;
    let heard = tokio::time::timeout(MAX_SILENCE, reader.comment()).await;
    probe.post(&format!("/agent-runs/{id}/cancel"), &json!({})).await?.expect_success()?;
    // The response to a cancellation may come before the run ends.
    probe.log(&id, 0).await?;
    heard.context("not a word in a minute")??.context("the stream ended before a comment")
}
