//! The OAuth scopes, with their descriptions for the consent page.

/// The identity of the user: the one required scope.
pub const IDENTITY: &str = "mantyx.identity:read";

pub const SCOPES: [(&str, &str); 14] = [
    (IDENTITY, "See who you are and your workspace"),
    ("models:read", "See the models of the workspace"),
    ("runs:read", "See runs, their logs and their results"),
    ("runs:write", "Start and cancel runs, and answer their tool calls"),
    ("sessions:read", "See sessions and their messages"),
    ("sessions:write", "Start, continue and end sessions"),
    ("feedback:write", "Give runs a thumbs up or down"),
    ("feedback:read", "See the feedback on runs"),
    ("agents:read", "See the saved agents of the workspace"),
    ("agents:invoke", "Run saved agents"),
    ("tools:read", "See the tools of the workspace"),
    ("plugins:read", "See the installed plugins"),
    ("hive:read", "See the objects of the workspace's hives"),
    ("schedules:read", "See schedules"),
];

pub fn description(scope: &str) -> Option<&'static str> {
    SCOPES.iter().find(|(name, _)| *name == scope).map(|(_, words)| *words)
}

/// Parses a space-separated list without duplicates; `None` if it is empty or has an unknown scope.
pub fn parse(list: &str) -> Option<Vec<&str>> {
    let mut scopes = Vec::new();
    for scope in list.split_ascii_whitespace() {
        description(scope)?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    (!scopes.is_empty()).then_some(scopes)
}
