//! The redaction patterns of the request, or of the command, that runs.

use std::sync::Arc;

use super::Patterns;

tokio::task_local! {
    static PATTERNS: Arc<Patterns>;
}

/// Runs work whose texts are redacted with these patterns. Tasks that the work spawns are not included.
pub async fn with_patterns<F: Future>(patterns: Arc<Patterns>, work: F) -> F::Output {
    PATTERNS.scope(patterns, work).await
}

/// The patterns of the workspace that the running work belongs to. Without one, everything is hidden.
pub fn current() -> Arc<Patterns> {
    in_scope().unwrap_or_else(|| Arc::new(default_patterns()))
}

/// `None` for requests without a workspace, such as those for the documentation.
pub(super) fn in_scope() -> Option<Arc<Patterns>> {
    PATTERNS.try_with(Arc::clone).ok()
}

#[cfg(not(test))]
fn default_patterns() -> Patterns {
    tracing::error!("a text is hidden, because its workspace is unknown where it is masked");
    Patterns::everything()
}

/// Unit tests call the parts of pages without a request.
#[cfg(test)]
fn default_patterns() -> Patterns {
    Patterns::default()
}
