//! The connection to MANTYX: where it is, who signed in, and what the scopes of the consent allow.

use app::model::settings::{ConnectionModel, ScopeModel};

use crate::auth::scopes::{RUNS_READ, RUNS_WRITE, SESSIONS_READ, SESSIONS_WRITE};
use crate::workspace::SignedInWorkspace;

/// A scope, what it allows, and what does not work without it.
#[rustfmt::skip]
const SCOPES: [(&str, &str, &str); 9] = [
    (RUNS_READ, "Lists, pages and exports of runs",
        "Runs cannot be listed, opened, compared or exported, and the launch form does not open."),
    (RUNS_WRITE, "Launching, cancelling and answering runs",
        "You cannot launch or cancel runs, answer their tool calls, import or delete logs, or pause the sync."),
    (SESSIONS_READ, "Lists and conversations of sessions",
        "Sessions cannot be listed or opened."),
    (SESSIONS_WRITE, "Starting, continuing and ending sessions",
        "You cannot start a session, send messages in one, or end or delete one."),
    ("models:read", "The models of the workspace and their prices",
        "The launch form cannot list models, and the cost of runs is not estimated."),
    ("feedback:write", "Sending feedback on runs to MANTYX",
        "Feedback is stored in this dashboard only."),
    ("agents:read", "The agents of the workspace in the launch form",
        "The launch form cannot list agents."),
    ("tools:read", "The tools of the workspace in the launch form",
        "The launch form cannot list workspace tools."),
    ("plugins:read", "The plugins of the workspace in the launch form",
        "The launch form cannot list plugins."),
];

pub fn build(workspace: &SignedInWorkspace) -> ConnectionModel {
    let scope = |(name, allows, lost): (&str, &str, &str)| {
        let granted = workspace.has_scope(name);
        ScopeModel { name: name.to_owned(), granted, effect: if granted { allows } else { lost }.to_owned() }
    };
    let viewer = workspace.viewer.clone();
    let sign_in = &workspace.state.sign_in;
    ConnectionModel {
        mantyx_host: sign_in.mantyx_host.clone(),
        sandbox: sign_in.sandbox,
        workspace: viewer.workspace,
        workspace_slug: viewer.workspace_slug,
        email: viewer.email,
        scopes_known: !workspace.scopes.trim().is_empty(),
        scopes: SCOPES.into_iter().map(scope).collect(),
    }
}
