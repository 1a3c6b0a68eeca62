//! Checks of invalid requests.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use super::checks;
use super::probe::{Probe, spec};

checks!(false:
    "a body that is no JSON gets 400" => no_json,
    "a spec with a fault gets 400 invalid_request" => faulty_specs,
    "an unknown model gets 400 invalid_model" => unknown_model,
    "an unknown run is 404" => unknown_run,
    "an unknown session is 404" => unknown_session,
    "a filter that is malformed gets 400" => malformed_filter,
);

async fn no_json(probe: &Probe) -> Result<String> {
    let request = probe.request(Method::POST, "/agent-runs").header("Content-Type", "application/json").body("{");
    let answer = probe.send(request).await?.expect(400)?;
    Ok(answer.code().to_owned())
}

async fn faulty_specs(probe: &Probe) -> Result<String> {
    let faults = [
        json!({}),
        json!({ "prompt": 7 }),
        json!({ "prompt": "x", "tools": [{ "kind": "local", "name": "not a name" }] }),
        json!({ "prompt": "x", "metadata": { "not a key": "x" } }),
        json!({ "prompt": "x", "metadata": { "key": "x".repeat(257) } }),
        json!({ "prompt": "x", "loopDetection": { "consecutiveThreshold": 1 } }),
        json!({ "prompt": "x", "toolBudgets": { "a": { "maxCalls": 1001 } } }),
        json!({ "prompt": "x", "reasoningLevel": 101 }),
        json!({ "prompt": "x", "outputSchema": { "schema": "x" } }),
        json!({ "prompt": "x", "messages": [{ "role": "user", "content": "x" }] }),
    ];
    for fault in &faults {
        let answer = probe.post("/agent-runs", &spec(fault.clone())).await?;
        let refused = answer.status == 400 && answer.code() == "invalid_request";
        ensure!(refused, "{fault} answered {}: {}", answer.status, answer.body);
    }
    Ok(format!("{} faults", faults.len()))
}

async fn unknown_model(probe: &Probe) -> Result<String> {
    let unknown = spec(json!({ "prompt": "x", "modelId": "conformance/no-such-model" }));
    let answer = probe.post("/agent-runs", &unknown).await?.expect(400)?;
    ensure!(answer.code() == "invalid_model", "{}", answer.body);
    let candidates = answer.body["candidates"].as_array().map_or(0, Vec::len);
    Ok(format!("{candidates} candidates"))
}

async fn unknown_run(probe: &Probe) -> Result<String> {
    let base = "/agent-runs/run_conformance_none";
    for path in [base.to_owned(), format!("{base}/stream")] {
        probe.get(&path).await?.expect(404)?;
    }
    let result = json!({ "toolUseId": "tu_none", "result": "x" });
    for (path, body) in [("/cancel", Value::Null), ("/tool-results", result)] {
        probe.post(&format!("{base}{path}"), &body).await?.expect(404)?;
    }
    Ok("read, stream, cancel, tool result".to_owned())
}

async fn unknown_session(probe: &Probe) -> Result<String> {
    let base = "/agent-sessions/ses_conformance_none";
    for path in [base.to_owned(), format!("{base}/events")] {
        probe.get(&path).await?.expect(404)?;
    }
    probe.post(&format!("{base}/messages"), &json!({ "prompt": "x" })).await?.expect(404)?;
    Ok("read, events, message".to_owned())
}

async fn malformed_filter(probe: &Probe) -> Result<String> {
    let answer = probe.get("/agent-sessions?metadata=no-colon").await?.expect(400)?;
    Ok(answer.code().to_owned())
}
