//! The workspaces that may use this server: `RUNLENS_WORKSPACES`. Slugs in the settings stay with the workspace that had them
//! first, because a slug can be given to another workspace later.

use std::collections::BTreeSet;

use app::AppError;
use domain::WorkspaceIdentity;

use crate::error::Error;
use crate::store::Store;

#[derive(Clone, Debug, Default)]
pub struct Workspaces {
    /// `None` allows all.
    allowed: Option<BTreeSet<String>>,
    /// All slugs in the settings.
    pinned: BTreeSet<String>,
}

impl Workspaces {
    /// `allowed` is the setting's text; an empty one allows all. `named` are slugs in other settings.
    pub fn new(allowed: &str, named: impl IntoIterator<Item = String>) -> Self {
        let slugs = allowed.split(',').map(str::trim).filter(|slug| !slug.is_empty());
        let slugs: BTreeSet<String> = slugs.map(str::to_owned).collect();
        let pinned = slugs.iter().cloned().chain(named).collect();
        Self { allowed: Some(slugs).filter(|slugs| !slugs.is_empty()), pinned }
    }

    pub fn allows(&self, slug: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(slug))
    }

    /// Fails if the workspace may not use this server, or if its slug belongs to another workspace in the settings.
    pub async fn check(&self, store: &Store, workspace: &WorkspaceIdentity) -> Result<(), Error> {
        self.check_slug(&workspace.slug)?;
        if self.pinned.contains(&workspace.slug) && !store.pin_workspace(&workspace.slug, &workspace.id).await? {
            let message = format!(
                "The name {} belonged to another workspace when this dashboard was set up. Ask your operator to check its \
                 settings.",
                workspace.slug
            );
            return Err(AppError::Forbidden { message }.into());
        }
        Ok(())
    }

    /// For credentials whose workspace is known by its slug only.
    pub fn check_slug(&self, slug: &str) -> Result<(), Error> {
        match self.allows(slug) {
            true => Ok(()),
            false => {
                let message = format!(
                    "This dashboard is not open to the workspace {slug}. Ask your operator to add it to RUNLENS_WORKSPACES."
                );
                Err(AppError::Forbidden { message }.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_allows_all_workspaces() {
        assert!(Workspaces::new(" , ", []).allows("acme"));
        let some = Workspaces::new("acme, other", ["tools".to_owned()]);
        assert!(some.allows("acme") && some.allows("other") && !some.allows("tools"));
        assert!(some.pinned.contains("tools") && some.pinned.contains("acme"));
    }
}
