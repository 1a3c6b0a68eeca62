//! The settings page.

use serde::{Deserialize, Serialize};

use super::Column;
use crate::preferences::RowHeight;
use domain::SyncProgress;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsModel {
    pub connection: ConnectionModel,
    /// `None` if the consent does not include the runs.
    pub sync: Option<SyncProgress>,
    /// Why the viewer cannot pause the sync.
    pub pause_refusal: Option<String>,
    pub display: DisplayModel,
    pub sign_ins: Vec<SignInModel>,
    /// HTML of the redaction patterns.
    pub redaction: String,
    /// HTML of the prices of models.
    pub prices: String,
    pub audit: AuditModel,
    /// How the operator configured the server.
    pub server: Vec<FactGroup>,
    pub now_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionModel {
    pub mantyx_host: String,
    /// The MANTYX is the embedded sandbox.
    pub sandbox: bool,
    pub workspace: String,
    pub workspace_slug: String,
    pub email: String,
    /// MANTYX reported which scopes it granted.
    pub scopes_known: bool,
    pub scopes: Vec<ScopeModel>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeModel {
    pub name: String,
    pub granted: bool,
    /// What it allows, or what does not work without it.
    pub effect: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayModel {
    pub rows: RowHeight,
    pub columns: Vec<Column>,
    pub columns_chosen: bool,
    pub time_zone: String,
}

/// A signed-in session of the viewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInModel {
    pub signed_in_at_ms: i64,
    pub used_at_ms: i64,
    pub address: Option<String>,
    /// The session that shows the page.
    pub current: bool,
}

/// A page of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditModel {
    /// Why the viewer cannot read it.
    pub refusal: Option<String>,
    pub entries: Vec<AuditRow>,
    pub newest: Option<String>,
    pub older: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRow {
    pub at_ms: i64,
    pub actor: String,
    pub address: Option<String>,
    /// The action in words.
    pub action: String,
    pub target: Option<String>,
    /// The page of the target.
    pub href: Option<String>,
    pub detail: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactGroup {
    pub title: String,
    pub facts: Vec<Fact>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub name: String,
    pub value: String,
    /// The environment variable that sets it.
    pub variable: Option<String>,
}
