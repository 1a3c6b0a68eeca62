//! Checks of limits: scopes, sizes, rates, attachments.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;

use super::probe::{Probe, spec};
use super::{Absent, checks};

checks!(false:
    "a scope that is missing is named with 403" => scopes,
    "a body that is too large is refused" => too_large,
    "answers say where their rate limit stands" => rate_limits,
    "an attachment is taken inline and by https only" => attachments,
);

/// Needs an access token with few scopes.
async fn scopes(probe: &Probe) -> Result<String> {
    let mut missing = Vec::new();
    for path in ["/models", "/agents", "/tools", "/plugins", "/agent-runs?limit=1", "/agent-sessions?limit=1"] {
        let answer = probe.get(path).await?;
        if answer.status != 403 {
            ensure!(matches!(answer.status, 200 | 404 | 405), "{path} answered {}: {}", answer.status, answer.body);
            continue;
        }
        ensure!(answer.body["error"] == "insufficient_scope", "{path} answered {}", answer.body);
        // One scope, or a list of alternatives.
        let required = &answer.body["required"];
        let named =
            required.as_str().or(required[0].as_str()).with_context(|| format!("no scope in {}", answer.body))?;
        ensure!(answer.header("www-authenticate").is_some(), "{path} answered without WWW-Authenticate");
        missing.push(named.to_owned());
    }
    if missing.is_empty() {
        return Err(Absent("this credential lacks no scope; try an access token with few").into());
    }
    Ok(missing.join(", "))
}

/// Sends more than any prompt may have: 413, or 400 from a server that reads the whole body.
async fn too_large(probe: &Probe) -> Result<String> {
    let body = spec(json!({ "prompt": "x".repeat(9 * 1024 * 1024) })).to_string();
    let request = probe.request(Method::POST, "/agent-runs").header("Content-Type", "application/json").body(body);
    let answer = probe.send(request).await?;
    ensure!(matches!(answer.status, 400 | 413), "answered {}: {}", answer.status, answer.body);
    Ok(format!("{} {}", answer.status, answer.code()))
}

async fn rate_limits(probe: &Probe) -> Result<String> {
    let answer = probe.get("/models").await?.expect(200)?;
    let Some(limit) = answer.header("x-ratelimit-limit") else {
        return Err(Absent("no X-RateLimit headers: this server has no limits, or does not tell them").into());
    };
    let number = |name: &str| -> Result<u64> {
        let text = answer.header(name).with_context(|| format!("no {name}"))?;
        text.parse().with_context(|| format!("{name} is “{text}”"))
    };
    let (most, left) = (number("x-ratelimit-limit")?, number("x-ratelimit-remaining")?);
    number("x-ratelimit-reset")?;
    ensure!(left < most, "{left} of {limit} are left after a request");
    Ok(format!("{left} of {most} left"))
}

async fn attachments(probe: &Probe) -> Result<String> {
    let with = |attachment| {
        let content = probe.short_prompt();
        spec(json!({ "messages": [{ "role": "user", "content": content, "attachments": [attachment] }] }))
    };
    let inline = json!({ "type": "input_file", "mimeType": "text/plain", "filename": "note.txt", "data": "bm90ZQ==" });
    let taken = probe.post("/agent-runs", &with(inline)).await?.expect_success()?;
    let id = taken.body["runId"].as_str().context("no runId")?;
    let log = probe.log(id, 0).await?;
    ensure!(log.last().is_some_and(|end| end.is_terminal()), "the run has no end");
    for faulty in [
        json!({ "type": "input_file_url", "url": "http://example.com/a.png", "mimeType": "image/png" }),
        json!({ "type": "input_file", "mimeType": "text/plain", "filename": "note.txt" }),
    ] {
        probe.post("/agent-runs", &with(faulty.clone())).await?.expect(400).with_context(|| faulty.to_string())?;
    }
    Ok("inline taken, http and no data refused".to_owned())
}
