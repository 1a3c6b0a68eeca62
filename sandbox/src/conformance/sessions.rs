//! Checks of sessions, with any model.

use anyhow::{Context, Result, ensure};
use protocol::Event;
use reqwest::Method;
use serde_json::{Value, json};

use super::checks;
use super::probe::{Probe, last, list, spec};

checks!(false:
    "a session remembers both sides of each message" => remembers,
    "metadata is inherited, and a message's own keys win" => metadata,
    "a session is listed by its metadata" => listed,
    "a session takes no prompt when it is created" => no_prompt,
    "a session that has ended takes no more messages" => ended,
);

/// Creates a session and ends it after the check, also if that fails.
async fn with_session<T>(probe: &Probe, metadata: Value, work: impl AsyncFnOnce(&str) -> Result<T>) -> Result<T> {
    let created = probe.post("/agent-sessions", &spec(json!({ "metadata": metadata }))).await?.expect_success()?;
    let id = created.body["sessionId"].as_str().context("no sessionId")?.to_owned();
    let done = work(&id).await;
    end(probe, &id).await?;
    done
}

async fn end(probe: &Probe, id: &str) -> Result<()> {
    probe.send(probe.request(Method::DELETE, &format!("/agent-sessions/{id}"))).await?.expect_success()?;
    Ok(())
}

/// Sends a message and waits for its run to succeed.
async fn say(probe: &Probe, session: &str, mut body: Value) -> Result<(String, Event)> {
    body["prompt"] = probe.short_prompt().into();
    let created = probe.post(&format!("/agent-sessions/{session}/messages"), &body).await?.expect_success()?;
    let run_id = created.body["runId"].as_str().context("no runId")?.to_owned();
    let end = last(&probe.log(&run_id, 0).await?)?.clone();
    ensure!(end.kind == "result", "the run ended with {} {}", end.kind, end.data);
    Ok((run_id, end))
}

async fn remembers(probe: &Probe) -> Result<String> {
    with_session(probe, json!({ "conformance": "yes" }), async |id| {
        let (_, result) = say(probe, id, json!({})).await?;
        say(probe, id, json!({})).await?;
        let detail = probe.get(&format!("/agent-sessions/{id}")).await?.expect(200)?.body;
        let messages = list(&detail["messages"]);
        let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
        ensure!(roles == ["user", "assistant", "user", "assistant"], "{roles:?}");
        ensure!(messages[1]["content"] == result.data["text"], "remembered {}", messages[1]);
        let path = format!("/agent-sessions/{id}/events");
        let all = probe.get(&path).await?.expect(200)?.body;
        let kinds: Vec<&str> = list(&all["events"]).iter().filter_map(|event| event["type"].as_str()).collect();
        ensure!(kinds == ["user_message", "assistant_message", "user_message", "assistant_message"], "{kinds:?}");
        let page = probe.get(&format!("{path}?lastMessages=1")).await?.expect(200)?.body;
        ensure!(page["events"] == json!([all["events"][3]]) && page["truncated"] == true, "the last page is {page}");
        let before = page["nextBeforeSeq"].as_u64().context("no nextBeforeSeq")?;
        let earlier = probe.get(&format!("{path}?beforeSeq={before}")).await?.expect(200)?.body;
        ensure!(list(&earlier["events"]) == &list(&all["events"])[..3], "the page before is {earlier}");
        Ok("4 messages, replayed whole and in pages".to_owned())
    })
    .await
}

async fn metadata(probe: &Probe) -> Result<String> {
    with_session(probe, json!({ "conformance": "yes", "env": "prod" }), async |id| {
        let (run, _) = say(probe, id, json!({ "metadata": { "env": "dev", "turn": "1" } })).await?;
        let found = probe.snapshot(&run).await?["metadata"].clone();
        ensure!(found == json!({ "conformance": "yes", "env": "dev", "turn": "1" }), "the run has {found}");
        let detail = probe.get(&format!("/agent-sessions/{id}")).await?.expect(200)?.body;
        ensure!(detail["metadata"]["env"] == "prod", "the session has {}", detail["metadata"]);
        Ok(found.to_string())
    })
    .await
}

async fn listed(probe: &Probe) -> Result<String> {
    let metadata = json!({ "conformance": "yes", "check": "listed" });
    with_session(probe, metadata, async |id| {
        let query = "?metadata=conformance:yes&metadata=check:listed&status=active&limit=200";
        let found = probe.get(&format!("/agent-sessions{query}")).await?.expect(200)?.body;
        let row = list(&found["sessions"]).iter().find(|row| row["sessionId"] == id);
        let row = row.with_context(|| format!("{id} is not in {found}"))?;
        for field in ["creationDate", "lastInteractionDate", "status"] {
            ensure!(row[field].is_string(), "{field} is missing in {row}");
        }
        Ok(format!("{} found", list(&found["sessions"]).len()))
    })
    .await
}

async fn no_prompt(probe: &Probe) -> Result<String> {
    let answer = probe.post("/agent-sessions", &spec(json!({ "prompt": "x" }))).await?.expect(400)?;
    Ok(answer.code().to_owned())
}

async fn ended(probe: &Probe) -> Result<String> {
    with_session(probe, json!({ "conformance": "yes" }), async |id| {
        end(probe, id).await?;
        let detail = probe.get(&format!("/agent-sessions/{id}")).await?.expect(200)?.body;
        ensure!(detail["status"] == "ended" && detail["endedAt"].is_string(), "{detail}");
        let refused = probe.post(&format!("/agent-sessions/{id}/messages"), &json!({ "prompt": "x" })).await?;
        ensure!((400..500).contains(&refused.status), "a message answered {}", refused.status);
        Ok(format!("{} {}", refused.status, refused.code()))
    })
    .await
}
