//! The redaction patterns of a workspace: loading, checking and changing them. `masking` applies them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::AppError;
use domain::{AuditAction, LockExt, Redaction, RedactionChange, RedactionPattern};
use protocol::validate::FieldError;

use crate::auth::Caller;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::masking::{MAX_PATTERNS, Patterns};
use crate::random;
use crate::state::AppState;
use crate::store::{Store, StoredRedaction, WorkspaceId};
use crate::vault::{Vault, purpose};

const KEY_BYTES: usize = 32;

/// Workspaces whose compiled patterns are cached. The patterns of one take a few MiB at most.
const MAX_WORKSPACES: usize = 50;
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Compiled patterns with the version that they were compiled from.
type CompiledPatterns = BoundedCache<WorkspaceId, (i64, Arc<Patterns>)>;

#[derive(Clone, Debug)]
pub struct PatternCache(Arc<Mutex<CompiledPatterns>>);

impl Default for PatternCache {
    fn default() -> Self {
        // An entry counts as one byte.
        Self(Arc::new(Mutex::new(BoundedCache::new(MAX_WORKSPACES, MAX_AGE))))
    }
}

/// The patterns as they are stored now. Each request reads their version, so a change applies everywhere at once.
pub async fn patterns(state: &AppState, workspace: WorkspaceId) -> Result<Arc<Patterns>, crate::store::Error> {
    let Some(stored) = state.store.redaction(workspace).await? else { return Ok(Arc::default()) };
    let known = state.redaction.0.locked().get(&workspace);
    if let Some((version, patterns)) = known
        && version == stored.version
    {
        return Ok(patterns);
    }
    let version = stored.version;
    let patterns = compile(stored, Some(&state.vault), workspace);
    state.redaction.0.locked().insert(workspace, (version, patterns.clone()), 1);
    Ok(patterns)
}

/// For commands, which have no key: hashes are hidden.
pub async fn patterns_without_key(store: &Store, workspace: WorkspaceId) -> Result<Arc<Patterns>, crate::store::Error> {
    let stored = store.redaction(workspace).await?;
    Ok(stored.map(|stored| compile(stored, None, workspace)).unwrap_or_default())
}

/// Patterns that cannot be used any more hide everything.
fn compile(stored: StoredRedaction, vault: Option<&Vault>, workspace: WorkspaceId) -> Arc<Patterns> {
    let key = vault.zip(stored.sealed_key).and_then(|(vault, sealed)| {
        let opened = vault.open_sealed(purpose::REDACTION_KEY, &sealed);
        opened.inspect_err(|error| tracing::error!(%error, %workspace, "redacted values are hidden, not hashed")).ok()
    });
    let patterns = stored.patterns.and_then(|patterns| Patterns::compile(&patterns, key).ok());
    Arc::new(patterns.unwrap_or_else(|| {
        tracing::error!(%workspace, "all texts are hidden: the redaction patterns cannot be used. Save them again");
        Patterns::everything()
    }))
}

pub async fn load(state: &AppState, caller: &Caller) -> Result<Redaction, Error> {
    let stored = state.store.redaction(caller.workspace_id).await?;
    Ok(stored.map_or_else(Redaction::default, |stored| Redaction {
        patterns: stored.patterns.unwrap_or_default(),
        version: stored.version,
    }))
}

/// Replaces the patterns. What is so already gets no entry in the audit log.
pub async fn change(state: &AppState, caller: &Caller, change: RedactionChange) -> Result<Redaction, Error> {
    let RedactionChange { patterns, replaces_version } = change;
    let errors = check(&patterns);
    if !errors.is_empty() {
        return Err(AppError::Fields { errors }.into());
    }
    let current = load(state, caller).await?;
    let replaces = replaces_version.unwrap_or(current.version);
    if replaces == current.version && patterns == current.patterns {
        return Ok(current);
    }
    if replaces_version.is_none() && !current.patterns.is_empty() {
        let message = "The workspace has patterns. Send the `version` that you replace as `replacesVersion`.";
        return Err(AppError::Invalid { field: "replacesVersion".to_owned(), message: message.to_owned() }.into());
    }
    let sealed = state.vault.seal(purpose::REDACTION_KEY, &random::bytes::<KEY_BYTES>());
    state.store.insert_redaction_key(caller.workspace_id, &sealed).await?;
    let entry = caller.actor.entry(AuditAction::ChangeRedaction).with_detail(counted(patterns.len()));
    if !state.store.set_redaction(caller.workspace_id, &patterns, replaces, &entry).await? {
        let message = "Someone else changed the patterns in the meantime. Check them, then save yours again.";
        return Err(AppError::conflict(message).into());
    }
    Ok(Redaction { patterns, version: replaces + 1 })
}

/// Returns a text as pages would show it with these patterns, which need not be saved.
pub async fn preview(
    state: &AppState,
    caller: &Caller,
    patterns: &[RedactionPattern],
    text: &str,
) -> Result<String, Error> {
    let stored = state.store.redaction(caller.workspace_id).await?;
    let known = stored.and_then(|stored| state.vault.open_sealed(purpose::REDACTION_KEY, &stored.sealed_key?).ok());
    let key = known.unwrap_or_else(|| random::bytes::<KEY_BYTES>().to_vec());
    let patterns = Patterns::compile(patterns, Some(key)).unwrap_or_default();
    let text = protocol::redact::redact_text(text).unwrap_or_else(|| text.to_owned());
    Ok(patterns.redact_text(&text).unwrap_or(text))
}

/// The errors of patterns, each with the JSON Pointer of its pattern.
pub fn check(patterns: &[RedactionPattern]) -> Vec<FieldError> {
    if patterns.len() > MAX_PATTERNS {
        let message = format!("A workspace can have up to {MAX_PATTERNS} patterns. Remove some.");
        return vec![FieldError::new("/patterns", "too_many", message)];
    }
    let error = |(index, pattern): (usize, &RedactionPattern)| {
        let refused = Patterns::compile(std::slice::from_ref(pattern), None).err()?;
        Some(FieldError::new(format!("/patterns/{index}/pattern"), "pattern", refused.to_string()))
    };
    patterns.iter().enumerate().filter_map(error).collect()
}

fn counted(patterns: usize) -> String {
    format!("{patterns} {}", if patterns == 1 { "pattern" } else { "patterns" })
}
