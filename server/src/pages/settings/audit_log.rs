//! The newest entries of the audit log, page by page, for those who may read it.

use app::AppError;
use app::model::settings::{AuditModel, AuditRow};
use domain::AuditEntry;
use domain::url::{encode, encode_segment};

use crate::audit;
use crate::auth::Admins;
use crate::auth::scopes::RUNS_READ;
use crate::error::Error;
use crate::workspace::SignedInWorkspace;

const ENTRIES: u32 = 25;
/// The part of the page with the log.
const PART: &str = "#audit";

/// `cursor` is from the link to older entries.
pub async fn load(workspace: &SignedInWorkspace, cursor: Option<&str>) -> Result<AuditModel, Error> {
    if let Some(refusal) = refusal(workspace) {
        return Ok(AuditModel { refusal: Some(refusal), ..AuditModel::default() });
    }
    // A place that is not known, for example of a link that was cut, is the first page.
    let before = cursor.and_then(|cursor| cursor.parse::<i64>().ok());
    let page = audit::page(&workspace.state, &workspace.caller, before, ENTRIES).await?;
    Ok(AuditModel {
        refusal: None,
        entries: page.entries.into_iter().map(row).collect(),
        newest: before.map(|_| format!("/settings{PART}")),
        older: page.next_cursor.map(|cursor| format!("/settings?audit={}{PART}", encode(&cursor))),
    })
}

fn refusal(workspace: &SignedInWorkspace) -> Option<String> {
    if !workspace.has_scope(RUNS_READ) {
        return Some(AppError::MissingScope { scope: RUNS_READ.to_owned() }.advice());
    }
    let may_read = workspace.state.admins.include(&workspace.caller.actor);
    (!may_read).then(|| Admins::refusal().advice())
}

fn row(entry: AuditEntry) -> AuditRow {
    let href = entry.target.as_deref().and_then(|target| page_of(&entry.action, target));
    let action = in_words(&entry.action);
    let AuditEntry { at_ms, actor, address, target, detail, .. } = entry;
    AuditRow { at_ms, actor, address, action, target, href, detail }
}

/// `pause_sync` is «Pause sync».
fn in_words(action: &str) -> String {
    let words = action.replace('_', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The page of what an entry is about, unless it was deleted.
fn page_of(action: &str, target: &str) -> Option<String> {
    let folder = match action {
        "launch" | "answer" | "cancel" | "import" | "export_with_secrets" => "/runs",
        "end_session" => "/sessions",
        "launch_batch" => "/launch/batches",
        _ => return None,
    };
    Some(format!("{folder}/{}", encode_segment(target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_shown_in_words_with_links_to_what_still_exists() {
        let entry = |action: &str, target: &str| AuditEntry {
            action: action.to_owned(),
            target: Some(target.to_owned()),
            ..AuditEntry::default()
        };
        let shown = row(entry("export_with_secrets", "run_1"));
        assert_eq!((shown.action.as_str(), shown.href.as_deref()), ("Export with secrets", Some("/runs/run_1")));
        assert_eq!(row(entry("delete_run", "run_1")).href, None);
    }
}
