//! Entries of the audit log: who did what, when and from where.

use serde::{Deserialize, Serialize};

/// What was done. Part of the JSON API: never rename one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    SignIn,
    SignOut,
    Launch,
    LaunchBatch,
    Answer,
    Cancel,
    EndSession,
    Import,
    ExportWithSecrets,
    ShareView,
    ChangeSharedView,
    DeleteSharedView,
    ShareTemplate,
    ChangeSharedTemplate,
    DeleteSharedTemplate,
    PauseSync,
    ResumeSync,
    DeleteRun,
    DeleteSession,
    EraseMetadata,
    ResolveFailureGroup,
    MuteFailureGroup,
    /// By a person, or by a new run in a resolved group.
    ReopenFailureGroup,
    ChangeFailureNote,
    ChangeRedaction,
    ChangePrices,
}

impl AuditAction {
    pub const ALL: [Self; 26] = [
        Self::SignIn,
        Self::SignOut,
        Self::Launch,
        Self::LaunchBatch,
        Self::Answer,
        Self::Cancel,
        Self::EndSession,
        Self::Import,
        Self::ExportWithSecrets,
        Self::ShareView,
        Self::ChangeSharedView,
        Self::DeleteSharedView,
        Self::ShareTemplate,
        Self::ChangeSharedTemplate,
        Self::DeleteSharedTemplate,
        Self::PauseSync,
        Self::ResumeSync,
        Self::DeleteRun,
        Self::DeleteSession,
        Self::EraseMetadata,
        Self::ResolveFailureGroup,
        Self::MuteFailureGroup,
        Self::ReopenFailureGroup,
        Self::ChangeFailureNote,
        Self::ChangeRedaction,
        Self::ChangePrices,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::SignOut => "sign_out",
            Self::Launch => "launch",
            Self::LaunchBatch => "launch_batch",
            Self::Answer => "answer",
            Self::Cancel => "cancel",
            Self::EndSession => "end_session",
            Self::Import => "import",
            Self::ExportWithSecrets => "export_with_secrets",
            Self::ShareView => "share_view",
            Self::ChangeSharedView => "change_shared_view",
            Self::DeleteSharedView => "delete_shared_view",
            Self::ShareTemplate => "share_template",
            Self::ChangeSharedTemplate => "change_shared_template",
            Self::DeleteSharedTemplate => "delete_shared_template",
            Self::PauseSync => "pause_sync",
            Self::ResumeSync => "resume_sync",
            Self::DeleteRun => "delete_run",
            Self::DeleteSession => "delete_session",
            Self::EraseMetadata => "erase_metadata",
            Self::ResolveFailureGroup => "resolve_failure_group",
            Self::MuteFailureGroup => "mute_failure_group",
            Self::ReopenFailureGroup => "reopen_failure_group",
            Self::ChangeFailureNote => "change_failure_note",
            Self::ChangeRedaction => "change_redaction",
            Self::ChangePrices => "change_prices",
        }
    }
}

/// An entry as the JSON API returns it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub at_ms: i64,
    /// An email address, or what acted without a person.
    pub actor: String,
    /// The client's address.
    pub address: Option<String>,
    pub action: String,
    /// The id of the run, session, batch, view or failure group.
    pub target: Option<String>,
    pub detail: Option<String>,
}

/// A page of the audit log, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditPage {
    pub entries: Vec<AuditEntry>,
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_one_name() {
        for action in AuditAction::ALL {
            assert_eq!(serde_json::to_value(action).ok(), Some(action.as_str().into()));
        }
    }
}
