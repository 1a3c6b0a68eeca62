//! Checks that need the script model: tools, guards, failures.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::checks;
use super::probe::{Probe, ProbeResponse, last, list, of_kind};

checks!(true:
    "a local tool is announced, answered once, and its answer echoed" => local_tool,
    "a tool result with a fault changes nothing" => faulty_result,
    "arguments that do not fit come back as tool_input_invalid" => tool_input,
    "nobody answering in time ends the run as local_timeout" => local_timeout,
    "equal batches are nudged, then cut off" => loops,
    "loop detection can be switched off" => loops_off,
    "a call past its budget is intercepted" => budgets,
    "default budgets hold until an empty one clears them" => default_budgets,
    "a run out of tool turns fails" => tool_turns,
    "a truncated answer is kept in all its places" => truncation,
    "failures of the model have a class" => failures,
    "a schema that holds is reported as enforced" => schema,
    "a strict schema that does not hold fails the run" => strict_schema,
    "thinking is streamed only when reasoning is on" => thinking,
    "a waiting run can be cancelled" => cancel,
);

fn tool(name: &str) -> Value {
    json!({ "kind": "local", "name": name, "description": "A check of the protocol.", "parameters": { "type": "object" } })
}

async fn answer(probe: &Probe, run_id: &str, body: Value) -> Result<ProbeResponse> {
    probe.post(&format!("/agent-runs/{run_id}/tool-results"), &body).await
}

async fn local_tool(probe: &Probe) -> Result<String> {
    let id = probe
        .launch_script("/call look {\"a\":1}\n/call look {\"a\":2}\n/say Done.", json!({ "tools": [tool("look")] }))
        .await?;
    let mut reader = probe.follow(&id, 0).await?;
    for a in [1, 2] {
        let call = reader.wait_for("local_tool_call").await?.data;
        let args = if call["args"].is_null() { &call["input"] } else { &call["args"] };
        ensure!(call["name"] == "look" && args == &json!({ "a": a }), "{call}");
        let body = json!({ "toolUseId": call["toolUseId"], "result": format!("seen {a}") });
        answer(probe, &id, body.clone()).await?.expect_success()?;
        let again = answer(probe, &id, body).await?;
        ensure!(matches!(again.status, 404 | 409), "the second answer got {}", again.status);
    }
    let log = probe.log(&id, 0).await?;
    let mut echoes: Vec<&Value> = of_kind(&log, "local_tool_result_in").iter().map(|echo| &echo["output"]).collect();
    echoes.sort_by_key(|echo| echo.to_string());
    ensure!(echoes == ["seen 1", "seen 2"], "{echoes:?}");
    ensure!(last(&log)?.data["text"] == "Done.", "{}", last(&log)?.data);
    Ok("two calls".to_owned())
}

async fn faulty_result(probe: &Probe) -> Result<String> {
    let id = probe.launch_script("/call look {}\n/say Done.", json!({ "tools": [tool("look")] })).await?;
    let call = probe.follow(&id, 0).await?.wait_for("local_tool_call").await?.data;
    let tool_use_id = &call["toolUseId"];
    let faults = [
        (json!({ "result": "x" }), 400),
        (json!({ "toolUseId": tool_use_id }), 400),
        (json!({ "toolUseId": tool_use_id, "result": "x", "error": "y" }), 400),
        (json!({ "toolUseId": tool_use_id, "result": { "a": 1 } }), 400),
        (json!({ "toolUseId": "tu_none", "result": "x" }), 404),
    ];
    for (body, status) in &faults {
        answer(probe, &id, body.clone()).await?.expect(*status).with_context(|| body.to_string())?;
    }
    ensure!(probe.snapshot(&id).await?["status"] == "running", "it no longer runs");
    answer(probe, &id, json!({ "toolUseId": tool_use_id, "error": "not today" })).await?.expect_success()?;
    let log = probe.log(&id, 0).await?;
    ensure!(of_kind(&log, "local_tool_result_in").len() == 1, "a fault left a trace");
    Ok(format!("{} faults", faults.len()))
}

async fn tool_input(probe: &Probe) -> Result<String> {
    let parameters = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
    let strict = json!({ "kind": "local", "name": "look", "parameters": parameters });
    let log = probe.script("/call look {\"n\":\"x\"}\n/say Done.", json!({ "tools": [strict] })).await?;
    ensure!(of_kind(&log, "local_tool_call").is_empty(), "the client was asked");
    let results = of_kind(&log, "tool_result");
    let is_reported = results.iter().any(|result| result.to_string().contains("tool_input_invalid"));
    ensure!(is_reported && last(&log)?.kind == "result", "{results:?}");
    Ok("the model gets the error, the run goes on".to_owned())
}

async fn local_timeout(probe: &Probe) -> Result<String> {
    let fields = json!({ "tools": [tool("look")], "budgets": { "localToolTimeoutMs": 50 } });
    let id = probe.launch_script("/call look {}", fields).await?;
    let log = probe.log(&id, 0).await?;
    let end = last(&log)?;
    // One document ends the run with an `error`, another with a `result` with its own subtype.
    let timed_out = end.data["errorClass"] == "local_timeout" || end.data["subtype"] == "error_local_tool_timeout";
    ensure!(timed_out, "{} {}", end.kind, end.data);
    let call = of_kind(&log, "local_tool_call")[0];
    let late = answer(probe, &id, json!({ "toolUseId": call["toolUseId"], "result": "late" })).await?;
    ensure!(matches!(late.status, 404 | 409), "a late answer got {}", late.status);
    Ok(format!("{}, a late answer gets {}", end.kind, late.status))
}

/// Returns a spec with a budget of 0 for its local tool, so that the script can repeat calls without a client.
fn looping(extra: Value) -> Value {
    let mut fields = json!({ "tools": [tool("look")], "toolBudgets": { "look": { "maxCalls": 0 } } });
    if let (Some(fields), Value::Object(extra)) = (fields.as_object_mut(), extra) {
        fields.extend(extra);
    }
    fields
}

async fn loops(probe: &Probe) -> Result<String> {
    let log = probe.script("/repeat 20\n/call look {}", looping(json!({}))).await?;
    let seen: Vec<(u64, bool)> = of_kind(&log, "loop_detected")
        .iter()
        .map(|loop_| (loop_["consecutiveCount"].as_u64().unwrap_or(0), loop_["hardCutoff"] == true))
        .collect();
    ensure!(seen.first() == Some(&(3, false)) && seen.last() == Some(&(6, true)), "{seen:?}");
    let messages = of_kind(&log, "assistant_message");
    let closing = messages.last().context("no message")?;
    ensure!(list(&closing["toolCalls"]).is_empty() && last(&log)?.kind == "result", "it ended with {closing}");
    Ok("nudged at 3, cut off at 6, closing turn without tools".to_owned())
}

async fn loops_off(probe: &Probe) -> Result<String> {
    let log = probe.script("/repeat 8\n/call look {}\n/say Done.", looping(json!({ "loopDetection": false }))).await?;
    ensure!(of_kind(&log, "loop_detected").is_empty() && last(&log)?.data["text"] == "Done.", "{}", last(&log)?.data);
    Ok("8 equal batches".to_owned())
}

async fn budgets(probe: &Probe) -> Result<String> {
    let log = probe.script("/call look {}\n/say Done.", looping(json!({}))).await?;
    ensure!(of_kind(&log, "local_tool_call").is_empty(), "the client was asked");
    let exceeded = of_kind(&log, "tool_budget_exceeded");
    ensure!(exceeded == [&json!({ "tool": "look", "maxCalls": 0, "callIndex": 1 })], "{exceeded:?}");
    let before =
        log.iter().position(|event| event.kind == "tool_budget_exceeded").and_then(|at| log.get(at.checked_sub(1)?));
    ensure!(before.is_some_and(|event| event.kind == "tool_result"), "no synthetic result before it");
    Ok("a budget of 0".to_owned())
}

async fn default_budgets(probe: &Probe) -> Result<String> {
    let prompt: String = (0..5).map(|n| format!("/call recall {{\"query\":\"{n}\"}}\n/say Next.\n")).collect();
    let recall = json!({ "tools": [{ "kind": "mantyx", "id": "tool_recall" }] });
    let log = probe.script(&prompt, recall.clone()).await?;
    let exceeded = of_kind(&log, "tool_budget_exceeded");
    ensure!(exceeded == [&json!({ "tool": "recall", "maxCalls": 4, "callIndex": 5 })], "{exceeded:?}");
    let mut cleared = recall;
    cleared["toolBudgets"] = json!({});
    let log = probe.script(&prompt, cleared).await?;
    ensure!(of_kind(&log, "tool_budget_exceeded").is_empty(), "an empty budget does not clear them");
    Ok("recall: 4".to_owned())
}

async fn tool_turns(probe: &Probe) -> Result<String> {
    let fields = looping(json!({ "loopDetection": false, "budgets": { "maxToolTurns": 2 } }));
    let log = probe.script("/repeat 5\n/call look {}", fields).await?;
    let end = last(&log)?;
    let failed =
        end.kind == "error" || end.data["subtype"].as_str().is_some_and(|subtype| subtype.starts_with("error"));
    ensure!(failed, "{} {}", end.kind, end.data);
    Ok(end.data["subtype"].as_str().or(end.data["errorClass"].as_str()).unwrap_or("").to_owned())
}

async fn truncation(probe: &Probe) -> Result<String> {
    let id = probe.launch_script("/say The invoice tot\n/truncate", json!({})).await?;
    let log = probe.log(&id, 0).await?;
    let (messages, end, snapshot) = (of_kind(&log, "assistant_message"), last(&log)?, probe.snapshot(&id).await?);
    let text = json!("The invoice tot");
    let message = messages.last().context("no message")?;
    ensure!(message["text"] == text && message["finishReason"] == "max_tokens", "the message is {message}");
    let error = end.kind == "error" && end.data["errorClass"] == "truncation" && end.data["partialText"] == text;
    ensure!(error && end.data["finishReason"] == "max_tokens", "the end is {} {}", end.kind, end.data);
    let reason = json!({ "errorClass": "truncation", "finishReason": "max_tokens" });
    let kept = snapshot["status"] == "failed" && snapshot["finalText"] == text && snapshot["failureReason"] == reason;
    ensure!(kept, "the snapshot has {} {} {}", snapshot["status"], snapshot["finalText"], snapshot["failureReason"]);
    Ok("message, error, snapshot".to_owned())
}

async fn failures(probe: &Probe) -> Result<String> {
    let classes = ["rate_limit", "overloaded", "server", "context_window", "auth", "timeout", "invalid_request"];
    for class in classes {
        let log = probe.script(&format!("/say Half\n/fail {class}"), json!({})).await?;
        let end = last(&log)?;
        ensure!(end.kind == "error" && end.data["errorClass"] == class, "{class}: {} {}", end.kind, end.data);
        ensure!(of_kind(&log, "assistant_message").len() == 1, "{class}: the turn has no message");
    }
    Ok(classes.join(", "))
}

fn total() -> Value {
    json!({ "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] })
}

async fn schema(probe: &Probe) -> Result<String> {
    let log = probe.script("/json {\"total\":7}", json!({ "outputSchema": { "schema": total() } })).await?;
    let info = &last(&log)?.data["structuredOutput"];
    ensure!(info["schemaRequested"] == true && info["schemaEnforced"] == true, "{info}");
    Ok(info["enforcementMechanism"].as_str().unwrap_or("").to_owned())
}

async fn strict_schema(probe: &Probe) -> Result<String> {
    let strict = json!({ "outputSchema": { "schema": total(), "enforcement": "strict" } });
    let log = probe.script("/say Sorry.", strict).await?;
    let end = last(&log)?;
    ensure!(end.data["errorClass"] == "structured_output_not_enforced", "{} {}", end.kind, end.data);
    Ok("structured_output_not_enforced".to_owned())
}

async fn thinking(probe: &Probe) -> Result<String> {
    for (level, streamed) in [(json!("low"), true), (json!(80), true), (json!("off"), false), (json!(0), false)] {
        let log = probe.script("/think Hm.\n/say Yes.", json!({ "reasoningLevel": level })).await?;
        ensure!(of_kind(&log, "thinking_delta").is_empty() != streamed, "reasoningLevel {level}");
    }
    Ok("low, 80, off, 0".to_owned())
}

async fn cancel(probe: &Probe) -> Result<String> {
    let id = probe.launch_script("/call look {}", json!({ "tools": [tool("look")] })).await?;
    let mut reader = probe.follow(&id, 0).await?;
    let call = reader.wait_for("local_tool_call").await?.data;
    for _ in 0..2 {
        probe.post(&format!("/agent-runs/{id}/cancel"), &json!({})).await?.expect_success()?;
    }
    reader.wait_for("cancelled").await?;
    ensure!(reader.next().await?.is_none(), "the stream goes on");
    ensure!(probe.snapshot(&id).await?["status"] == "cancelled", "the snapshot says otherwise");
    // One document accepts and ignores it, another rejects it.
    let late = answer(probe, &id, json!({ "toolUseId": call["toolUseId"], "result": "late" })).await?;
    ensure!(matches!(late.status, 200 | 204 | 404 | 409), "a late answer got {}", late.status);
    Ok(format!("a late answer gets {}", late.status))
}
