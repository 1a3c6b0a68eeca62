//! The two workspaces, their API keys and accounts.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

#[derive(Debug, PartialEq, Eq)]
pub struct Workspace {
    pub id: &'static str,
    pub slug: &'static str,
    pub name: &'static str,
    api_key: &'static str,
    /// Saved agents that its key may use; empty means all.
    pub key_agents: &'static [&'static str],
}

#[derive(Debug)]
pub struct Account {
    pub sub: &'static str,
    pub email: &'static str,
    pub workspace: &'static Workspace,
}

pub static DEMO: Workspace =
    Workspace { id: "ws_demo", slug: "demo", name: "Demo", api_key: "mantyx_sandbox_demo", key_agents: &[] };
/// Its key has an allow-list of agents, unlike the other one.
pub static OTHER: Workspace = Workspace {
    id: "ws_other",
    slug: "other",
    name: "Other",
    api_key: "mantyx_sandbox_other",
    key_agents: &["agent_support"],
};

pub static ACCOUNTS: [Account; 3] = [
    Account { sub: "usr_demo_owner", email: "owner@demo.test", workspace: &DEMO },
    Account { sub: "usr_other_owner", email: "owner@other.test", workspace: &OTHER },
    Account { sub: "usr_demo_colleague", email: "colleague@demo.test", workspace: &DEMO },
];

/// Returns the workspace of an API key. Compares digests, so that the time reveals nothing.
pub fn by_api_key(key: &str) -> Option<&'static Workspace> {
    let digest = Sha256::digest(key.as_bytes());
    [&DEMO, &OTHER].into_iter().find(|workspace| Sha256::digest(workspace.api_key.as_bytes()).ct_eq(&digest).into())
}

pub fn account(email: &str) -> Option<&'static Account> {
    ACCOUNTS.iter().find(|account| account.email == email)
}
