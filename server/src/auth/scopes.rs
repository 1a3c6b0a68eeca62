//! Scopes of a consent: what the person who signed in allowed.

pub const RUNS_READ: &str = "runs:read";
pub const RUNS_WRITE: &str = "runs:write";
pub const SESSIONS_READ: &str = "sessions:read";
pub const SESSIONS_WRITE: &str = "sessions:write";

/// Returns true if a consent includes a scope. `granted` is separated by spaces. A MANTYX that reports no scopes has granted
/// those that were asked for.
pub fn includes(granted: &str, scope: &str) -> bool {
    granted.is_empty() || granted.split_whitespace().any(|one| one == scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_included_by_its_whole_name() {
        assert!(includes("runs:read sessions:read", SESSIONS_READ) && includes("", RUNS_WRITE));
        assert!(!includes("runs:readers", RUNS_READ) && !includes("runs:read", RUNS_WRITE));
    }
}
