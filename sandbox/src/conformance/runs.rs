//! Checks of a successful run, with any model.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use super::probe::{Probe, ProbeResponse, Reader, last, list, of_kind};
use super::{Absent, checks};

checks!(false:
    "a log counts from 1 without gaps and ends with one terminal event" => gapless,
    "the lines id and event of a frame say what its payload says" => frame_lines,
    "deltas add up to the message of their turn" => deltas,
    "a result carries text, tokens, turns and model" => result_fields,
    "the snapshot agrees with the terminal event" => snapshot,
    "going on from any position gives exactly the rest" => resume,
    "Last-Event-ID is as good as lastSeq" => last_event_id,
    "cancelling a run that has ended changes nothing" => cancel_after_end,
    "a result for a run that has ended is refused" => result_after_end,
    "runs are listed newest first and found by metadata" => listed,
    "pages of the list do not overlap" => paged,
    "feedback is created, then replaced" => feedback,
);

async fn gapless(probe: &Probe) -> Result<String> {
    let log = &probe.plain_run().await?.log;
    for (expected, event) in (1..).zip(log) {
        ensure!(event.seq == expected, "{} comes where {expected} should", event.seq);
    }
    let terminal = log.iter().filter(|event| event.is_terminal()).count();
    ensure!(terminal == 1 && last(log)?.is_terminal(), "{terminal} terminal events");
    Ok(format!("{} events", log.len()))
}

async fn frame_lines(probe: &Probe) -> Result<String> {
    let path = format!("/agent-runs/{}/stream", probe.plain_run().await?.id);
    let mut reader = Reader::open(probe.request(Method::GET, &path)).await?;
    let mut frames = 0;
    while let Some(frame) = reader.next_frame().await? {
        let payload: Value = serde_json::from_str(&frame.data).context("a frame without JSON")?;
        let id_fits = frame.id == Some(payload["seq"].to_string());
        // A proxy may strip the event line, but not change it.
        let event_fits = frame.event.as_deref().is_none_or(|event| payload["type"] == event);
        ensure!(id_fits && event_fits, "{frame:?}");
        frames += 1;
    }
    Ok(format!("{frames} frames"))
}

async fn deltas(probe: &Probe) -> Result<String> {
    let log = &probe.plain_run().await?.log;
    let mut streamed = String::new();
    let mut turns = 0;
    for event in log {
        let text = event.data["text"].as_str().unwrap_or("");
        match event.kind.as_str() {
            "assistant_delta" => streamed += text,
            "assistant_message" => {
                ensure!(streamed.is_empty() || streamed == text, "streamed “{streamed}”, then said “{text}”");
                streamed.clear();
                turns += 1;
            }
            _ => {}
        }
    }
    ensure!(turns > 0, "no assistant_message");
    Ok(format!("{turns} turns, {} deltas", of_kind(log, "assistant_delta").len()))
}

async fn result_fields(probe: &Probe) -> Result<String> {
    let end = last(&probe.plain_run().await?.log)?;
    ensure!(end.kind == "result" && end.data["subtype"] == "success", "it ended with {} {}", end.kind, end.data);
    ensure!(end.data["text"].is_string(), "no text: {}", end.data);
    if end.data["model"].is_null() {
        return Err(Absent("a server from before 2026-09: no usage in the result").into());
    }
    let tokens = &end.data["tokens"];
    for field in ["inputTokens", "cachedTokens", "reasoningTokens", "outputTokens"] {
        ensure!(tokens[field].is_u64(), "{field} is missing in {tokens}");
    }
    ensure!(end.data["turns"].as_u64() >= Some(1), "turns: {}", end.data["turns"]);
    Ok(format!("{} tokens in, {} out, {}", tokens["inputTokens"], tokens["outputTokens"], end.data["model"]["id"]))
}

async fn snapshot(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    let (snapshot, end) = (probe.snapshot(&run.id).await?, last(&run.log)?);
    ensure!(snapshot["status"] == "succeeded", "status: {}", snapshot["status"]);
    ensure!(snapshot["finalText"] == end.data["text"], "finalText: {}", snapshot["finalText"]);
    for field in ["tokens", "turns", "model"] {
        ensure!(snapshot[field] == end.data[field], "{field}: {} and {}", snapshot[field], end.data[field]);
    }
    ensure!(snapshot["metadata"]["conformance"] == "yes", "metadata: {}", snapshot["metadata"]);
    Ok("status, finalText, tokens, turns, model, metadata".to_owned())
}

async fn resume(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    let positions = [1, run.log.len() / 2, run.log.len() - 1];
    for after in positions {
        let rest = probe.log(&run.id, after as u64).await?;
        ensure!(rest == run.log[after..], "after {after} came {} events, not {}", rest.len(), run.log.len() - after);
    }
    Ok(format!("after {positions:?}"))
}

async fn last_event_id(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    let after = run.log.len() / 2;
    let request = probe.request(Method::GET, &format!("/agent-runs/{}/stream", run.id));
    let mut reader = Reader::open(request.header("Last-Event-ID", after)).await?;
    for expected in &run.log[after..] {
        ensure!(reader.next().await?.as_ref() == Some(expected), "event {} is missing", expected.seq);
    }
    ensure!(reader.next().await?.is_none(), "the stream goes on after the terminal event");
    Ok(format!("after {after}"))
}

async fn cancel_after_end(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    for _ in 0..2 {
        probe.post(&format!("/agent-runs/{}/cancel", run.id), &json!({})).await?.expect_success()?;
    }
    ensure!(probe.snapshot(&run.id).await?["status"] == "succeeded", "the status changed");
    ensure!(probe.log(&run.id, 0).await? == run.log, "the log changed");
    Ok("twice".to_owned())
}

/// Expects 409, or 404 as one of the documents says.
async fn result_after_end(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    let result = json!({ "toolUseId": "tu_none", "result": "late" });
    let answer = probe.post(&format!("/agent-runs/{}/tool-results", run.id), &result).await?;
    let refused = matches!((answer.status, answer.code()), (409, "run_terminal") | (404, "unknown_tool_use"));
    ensure!(refused, "answered {}: {}", answer.status, answer.body);
    Ok(format!("{} {}", answer.status, answer.code()))
}

async fn listed(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    let found = list_runs(probe, "?metadata=conformance:yes&metadata=check:plain-run&limit=200").await?.body;
    let runs = list(&found["runs"]);
    ensure!(runs.iter().any(|row| row["id"] == run.id.as_str()), "{} is not in the list", run.id);
    let times: Vec<&str> = runs.iter().filter_map(|row| row["createdAt"].as_str()).collect();
    ensure!(times.len() == runs.len() && times.is_sorted_by(|a, b| a >= b), "not newest first: {times:?}");
    Ok(format!("{} found", runs.len()))
}

async fn paged(probe: &Probe) -> Result<String> {
    probe.plain_run().await?;
    let first = list_runs(probe, "?limit=1").await?.body;
    let Some(cursor) = first["nextCursor"].as_str() else { return Ok("only one run".to_owned()) };
    let second = probe.send(probe.request(Method::GET, "/agent-runs").query(&[("limit", "1"), ("cursor", cursor)]));
    let second = second.await?.expect(200)?.body;
    let ids = [&first, &second].map(|page| page["runs"][0]["id"].clone());
    ensure!(list(&first["runs"]).len() == 1 && ids[0] != ids[1] && ids[1].is_string(), "{ids:?}");
    Ok("two pages of one".to_owned())
}

async fn list_runs(probe: &Probe, query: &str) -> Result<ProbeResponse> {
    let answer = probe.get(&format!("/agent-runs{query}")).await?;
    if matches!(answer.status, 404 | 405) {
        return Err(Absent("an older server: runs cannot be listed").into());
    }
    answer.expect(200)
}

async fn feedback(probe: &Probe) -> Result<String> {
    let run = probe.plain_run().await?;
    let path = format!("/agent-runs/{}/feedback", run.id);
    let first = probe.post(&path, &json!({ "verdict": "UP", "explanation": "A check of the protocol." })).await?;
    if matches!(first.status, 404 | 405) {
        return Err(Absent("an older server: no feedback").into());
    }
    let second = probe.post(&path, &json!({ "verdict": "DOWN" })).await?.expect(200)?;
    ensure!(first.status == 201, "the first answered {}", first.status);
    ensure!(second.body["verdict"] == "DOWN" && second.body["id"] == first.body["id"], "{}", second.body);
    probe.post(&path, &json!({ "verdict": "MAYBE" })).await?.expect(400)?;
    Ok("201, then 200".to_owned())
}
