//! Workspaces as MANTYX knows them.

/// A workspace's identity at MANTYX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceIdentity {
    pub id: String,
    pub slug: String,
    pub name: String,
}
