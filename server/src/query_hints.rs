//! Parts of a filter that no run can match as they are spelt. A filter that leaves out what nobody has shows everything,
//! and looks as if it had worked.

use protocol::Query;
use protocol::query::{Has, RESERVED, Term, nearest};

use crate::store::{Result, Store, Tag, WorkspaceId};

/// Keys and values that what was written is compared with: the most frequent.
const COMPARED: u32 = 1_000;

pub async fn of_unknown(store: &Store, workspace: WorkspaceId, query: &Query) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    for clause in &query.clauses {
        for term in clause.terms() {
            let notice = match term {
                Term::Metadata { key, value } => match unknown_key(store, workspace, key).await? {
                    None => unknown_value(store, workspace, key, value, clause.negated).await?,
                    unknown => unknown,
                },
                Term::Has(Has::Metadata(key)) => unknown_key(store, workspace, key).await?,
                _ => None,
            };
            notices.extend(notice);
        }
    }
    notices.dedup();
    Ok(notices)
}

async fn unknown_key(store: &Store, workspace: WorkspaceId, key: &str) -> Result<Option<String>> {
    if store.has_runs_with(workspace, &Tag::has_metadata(key)).await? {
        return Ok(None);
    }
    let keys = store.frequent_values(workspace, "has", COMPARED).await?;
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
    // One number is not another one misspelt.
    let meant = match value.contains(|c: char| c.is_ascii_digit()) {
        true => None,
        false => {
            let values = store.frequent_values(workspace, &tag.key, COMPARED).await?;
            nearest(value, values.iter().map(String::as_str)).map(|meant| part(key, meant))
        }
    };
    // A list that is empty says itself which part of the filter makes it so.
    let told = negated || meant.is_some();
    Ok(told.then(|| sentence(&format!("`{}`", part(key, value)), meant)))
}

fn sentence(what: &str, meant: Option<String>) -> String {
    let question = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_else(|| ".".to_owned());
    format!("No run here has {what}{question}")
}

/// As a filter is written.
fn part(key: &str, value: &str) -> String {
    Query::default().with(Term::metadata(key, value)).to_string()
}
