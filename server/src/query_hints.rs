//! Hints about metadata in a filter that no run has. Without them, a negated clause with a typo would match every run
//! and seem to work.

use protocol::Query;
use protocol::query::{Has, RESERVED, Term, nearest};

use crate::store::{Result, Store, Tag, WorkspaceId};

/// The number of frequent keys or values that a typo is compared with.
const MAX_CANDIDATES: u32 = 1_000;

pub async fn hints_for_unknown(store: &Store, workspace: WorkspaceId, query: &Query) -> Result<Vec<String>> {
    let mut hints = Vec::new();
    for clause in &query.clauses {
        for term in clause.terms() {
            let hint = match term {
                Term::Metadata { key, value } => match unknown_key(store, workspace, key).await? {
                    None => unknown_value(store, workspace, key, value, clause.negated).await?,
                    unknown => unknown,
                },
                Term::Has(Has::Metadata(key)) => unknown_key(store, workspace, key).await?,
                _ => None,
            };
            hints.extend(hint);
        }
    }
    hints.dedup();
    Ok(hints)
}

async fn unknown_key(store: &Store, workspace: WorkspaceId, key: &str) -> Result<Option<String>> {
    if store.has_runs_with(workspace, &Tag::has_metadata(key)).await? {
        return Ok(None);
    }
    let keys = store.frequent_values(workspace, "has", MAX_CANDIDATES).await?;
    let keys = keys.iter().filter_map(|key| key.strip_prefix("metadata."));
    let meant = nearest(key, RESERVED.into_iter().chain(keys));
    Ok(Some(sentence(&format!("the metadata key `{key}`"), meant.map(str::to_owned))))
}

async fn unknown_value(
    store: &Store,
    workspace: WorkspaceId,
    key: &str,
    value: &str,
    negated: bool,
) -> Result<Option<String>> {
    let tag = Tag::metadata(key, value);
    if store.has_runs_with(workspace, &tag).await? {
        return Ok(None);
    }
    // A different number is not a typo.
    let meant = match value.contains(|c: char| c.is_ascii_digit()) {
        true => None,
        false => {
            let values = store.frequent_values(workspace, &tag.key, MAX_CANDIDATES).await?;
            nearest(value, values.iter().map(String::as_str)).map(|meant| clause_text(key, meant))
        }
    };
    // For an empty list, the page already shows which clause excludes everything.
    let has_hint = negated || meant.is_some();
    Ok(has_hint.then(|| sentence(&format!("`{}`", clause_text(key, value)), meant)))
}

fn sentence(what: &str, meant: Option<String>) -> String {
    let question = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_else(|| ".".to_owned());
    format!("No run here has {what}{question}")
}

/// Formats a clause as it is written in a filter.
fn clause_text(key: &str, value: &str) -> String {
    Query::default().with(Term::metadata(key, value)).to_string()
}
