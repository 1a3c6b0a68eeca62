//! Checks of authentication.

use anyhow::{Result, ensure};
use reqwest::Method;

use super::checks;
use super::probe::Probe;

checks!(false:
    "a request without a credential gets 401" => no_credential,
    "a wrong key gets 401" => wrong_key,
    "X-API-Key is as good as a bearer" => other_header,
    "a workspace that is not the credential's is refused with a hint" => foreign_workspace,
);

async fn no_credential(probe: &Probe) -> Result<String> {
    let answer = probe.send(probe.anonymous(Method::GET, probe.workspace(), "/models")).await?.expect(401)?;
    ensure!(answer.body["error"].is_string(), "no error in {}", answer.body);
    Ok(format!("{} {}", answer.status, answer.code()))
}

async fn wrong_key(probe: &Probe) -> Result<String> {
    let request = probe.anonymous(Method::GET, probe.workspace(), "/models").bearer_auth("mantyx_wrong");
    let answer = probe.send(request).await?.expect(401)?;
    Ok(format!("{} {}", answer.status, answer.code()))
}

async fn other_header(probe: &Probe) -> Result<String> {
    let request = probe.anonymous(Method::GET, probe.workspace(), "/models").header("X-API-Key", probe.key());
    Ok(probe.send(request).await?.expect(200)?.status.to_string())
}

/// 404 with a `hint`; one document says 403 `wrong_workspace` with the correct slug.
async fn foreign_workspace(probe: &Probe) -> Result<String> {
    let request = probe.anonymous(Method::GET, "conformance-no-such-workspace", "/models").bearer_auth(probe.key());
    let answer = probe.send(request).await?;
    let hint = answer.body["hint"].as_str().or(answer.body["correctSlug"].as_str());
    let known = answer.status == 404 || (answer.status == 403 && answer.code() == "wrong_workspace");
    ensure!(known && hint.is_some(), "answered {}: {}", answer.status, answer.body);
    Ok(format!("{}, {}", answer.status, hint.unwrap_or("")))
}
