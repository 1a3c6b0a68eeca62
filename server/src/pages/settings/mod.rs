//! Builds the settings page.

mod audit_log;
mod connection;
mod prices;
mod redaction;
mod server_facts;

use app::model::Column;
use app::model::settings::{DisplayModel, SettingsModel, SignInModel};
use app::preferences::ListPreferences;
use leptos::prelude::*;
use protocol::validate::FieldError;
use serde::{Deserialize, Serialize};

use crate::auth::scopes::{RUNS_READ, RUNS_WRITE};
use crate::auth::{Admins, Credential, IDLE_LIMIT_MS};
use crate::clock::now_ms;
use crate::error::Error;
use crate::workspace::SignedInWorkspace;

pub use prices::{PriceDraft, PriceRow};
pub use redaction::RedactionDraft;

/// A form of the page as it was sent, with its errors.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SettingsDraft {
    pub redaction: Option<RedactionDraft>,
    pub prices: Option<PriceDraft>,
}

/// `audit` is the place in the audit log where its page begins, `draft` a form that was not saved.
pub async fn load(
    workspace: &SignedInWorkspace,
    audit: Option<&str>,
    preferences: ListPreferences,
    draft: Option<&str>,
) -> Result<SettingsModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let sync = match workspace.has_scope(RUNS_READ) {
        true => Some(state.mirror.progress(state, caller.workspace_id).await?),
        false => None,
    };
    // A draft of another version of this program is dropped.
    let draft: SettingsDraft = draft.and_then(|draft| serde_json::from_str(draft).ok()).unwrap_or_default();
    Ok(SettingsModel {
        connection: connection::build(workspace),
        sync,
        pause_refusal: refusal(workspace, "Pausing the sync"),
        redaction: redaction::load(workspace, draft.redaction).await?,
        prices: prices::load(workspace, draft.prices).await?,
        display: display(preferences),
        sign_ins: load_sign_ins(workspace).await?,
        audit: audit_log::load(workspace, audit).await?,
        server: server_facts::build(workspace),
        now_ms: now_ms(),
    })
}

/// Why the viewer cannot change something that the workspace shares.
fn refusal(workspace: &SignedInWorkspace, what: &str) -> Option<String> {
    if !workspace.has_scope(RUNS_WRITE) {
        return Some(format!("{what}: sign in again and allow {RUNS_WRITE}."));
    }
    let is_admin = workspace.state.admins.include(&workspace.caller.actor);
    (!is_admin).then(|| format!("{what}: {}", Admins::refusal().advice()))
}

/// The id of the error at a field.
fn error_id(path: &str) -> String {
    format!("error{}", path.replace('/', "-"))
}

/// The error at a field.
fn field_error(errors: &[FieldError], path: &str) -> Option<AnyView> {
    let error = errors.iter().find(|error| error.path == path)?;
    Some(view! { <p class="field-error" id=error_id(path)>{error.message.clone()}</p> }.into_any())
}

fn display(preferences: ListPreferences) -> DisplayModel {
    DisplayModel {
        rows: preferences.rows,
        columns_chosen: preferences.columns.is_some(),
        columns: preferences.columns.unwrap_or_else(|| Column::DEFAULT.to_vec()),
        time_zone: preferences.zone.name().to_owned(),
    }
}

async fn load_sign_ins(workspace: &SignedInWorkspace) -> Result<Vec<SignInModel>, Error> {
    let (store, caller) = (&workspace.state.store, &workspace.caller);
    let Credential::Grant(own) = &caller.credential else { return Ok(Vec::new()) };
    let Some(grant) = store.grant(own).await? else { return Ok(Vec::new()) };
    let now = now_ms();
    let found = store.sign_ins(caller.workspace_id, &grant.subject, now, now - IDLE_LIMIT_MS).await?;
    let mut shown: Vec<SignInModel> = found
        .into_iter()
        .map(|sign_in| SignInModel {
            current: sign_in.grant_id == *own,
            signed_in_at_ms: sign_in.signed_in_at_ms,
            used_at_ms: sign_in.used_at_ms,
            address: sign_in.address,
        })
        .collect();
    shown.sort_by_key(|sign_in| !sign_in.current);
    Ok(shown)
}
