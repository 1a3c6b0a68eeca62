//! Saved views, private or shared in the workspace, and the built-in ones.

use domain::{View, ViewList, ViewScope};
use sqlx::Row;

use super::audit::{self, NewAuditEntry};
use super::{Result, Store, WorkspaceId};

/// List, name and query of the built-in views.
const BUILT_IN: [(ViewList, &str, &str); 10] = [
    (ViewList::Runs, "All", ""),
    (ViewList::Runs, "Failed", "status:failed"),
    (ViewList::Runs, "Truncated", "is:truncated"),
    (ViewList::Runs, "Looping", "is:looping"),
    (ViewList::Runs, "Running", "is:running"),
    (ViewList::Runs, MINE, "is:mine"),
    (ViewList::Sessions, "All", ""),
    (ViewList::Sessions, "Active", "status:active"),
    (ViewList::Sessions, "Ended", "status:ended"),
    (ViewList::Sessions, "Today", "since:1d"),
];
/// Only for people: an API key has launched nothing.
const MINE: &str = "Mine";

/// The content of a view.
#[derive(Clone, Debug)]
pub struct NewView {
    pub list: ViewList,
    pub name: String,
    pub query: String,
    pub shared: bool,
}

/// A person who changes a view: their own ones or, as an administrator, also shared ones of others.
#[derive(Clone, Copy, Debug)]
pub struct ViewEditor<'a> {
    pub subject: &'a str,
    pub is_admin: bool,
}

impl Store {
    /// The views that `owner` sees: built-in, shared and their own.
    pub async fn views(&self, workspace: WorkspaceId, owner: Option<&str>, list: ViewList) -> Result<Vec<View>> {
        let chosen: Option<String> =
            sqlx::query_scalar("SELECT view_id FROM default_view WHERE workspace_id = $1 AND owner = $2 AND list = $3")
                .bind(workspace.0)
                .bind(owner.unwrap_or(""))
                .bind(list.as_str())
                .fetch_optional(&self.reader)
                .await?;
        let is_shown = |name: &str| name != MINE || owner.is_some();
        let built_in = BUILT_IN.iter().filter(|(of, name, _)| *of == list && is_shown(name));
        let built_in = built_in.map(|(_, name, query)| View {
            id: built_in_id(name),
            name: (*name).to_owned(),
            query: (*query).to_owned(),
            list,
            scope: ViewScope::BuiltIn,
            is_mine: false,
            default: false,
        });
        let rows = sqlx::query(
            "SELECT id, name, query, shared, owner FROM saved_view \
             WHERE workspace_id = $1 AND list = $2 AND (shared = 1 OR owner = $3) ORDER BY created_at, id",
        )
        .bind(workspace.0)
        .bind(list.as_str())
        .bind(owner.unwrap_or(""))
        .fetch_all(&self.reader)
        .await?;
        let mut views: Vec<View> = built_in.collect();
        for row in rows {
            let shared = row.try_get::<i64, _>("shared")? == 1;
            let created_by: String = row.try_get("owner")?;
            views.push(View {
                id: row.try_get("id")?,
                name: row.try_get("name")?,
                query: row.try_get("query")?,
                list,
                scope: if shared { ViewScope::Shared } else { ViewScope::Private },
                is_mine: owner == Some(created_by.as_str()),
                default: false,
            });
        }
        let default = views.iter().position(|view| Some(&view.id) == chosen.as_ref()).unwrap_or(0);
        views[default].default = true;
        Ok(views)
    }

    pub async fn insert_view(
        &self,
        workspace: WorkspaceId,
        owner: &str,
        id: &str,
        view: &NewView,
        entry: Option<&NewAuditEntry>,
        now_ms: i64,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO saved_view (id, workspace_id, owner, list, name, query, shared, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(id)
        .bind(workspace.0)
        .bind(owner)
        .bind(view.list.as_str())
        .bind(&view.name)
        .bind(&view.query)
        .bind(i64::from(view.shared))
        .bind(now_ms)
        .execute(&mut *tx)
        .await?;
        if let Some(entry) = entry {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await
    }

    /// Changes a view. Returns false if the editor has none with this id.
    pub async fn update_view(
        &self,
        workspace: WorkspaceId,
        editor: ViewEditor<'_>,
        id: &str,
        view: &NewView,
        entry: Option<&NewAuditEntry>,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let done = sqlx::query(
            "UPDATE saved_view SET name = $1, query = $2, shared = $3 \
             WHERE workspace_id = $4 AND (owner = $5 OR (shared = 1 AND $6 = 1)) AND id = $7",
        )
        .bind(&view.name)
        .bind(&view.query)
        .bind(i64::from(view.shared))
        .bind(workspace.0)
        .bind(editor.subject)
        .bind(i64::from(editor.is_admin))
        .bind(id)
        .execute(&mut *tx)
        .await?;
        if let Some(entry) = entry.filter(|_| done.rows_affected() == 1) {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// Deletes a view. Returns false if the editor has none with this id. The entry is for a shared one.
    /// The list that a saved view is of.
    pub async fn view_list(&self, workspace: WorkspaceId, id: &str) -> Result<Option<ViewList>> {
        let sql = "SELECT list FROM saved_view WHERE workspace_id = $1 AND id = $2";
        let found: Option<String> =
            sqlx::query_scalar(sql).bind(workspace.0).bind(id).fetch_optional(&self.reader).await?;
        Ok(found.and_then(|name| [ViewList::Runs, ViewList::Sessions].into_iter().find(|list| list.as_str() == name)))
    }

    pub async fn delete_view(
        &self,
        workspace: WorkspaceId,
        editor: ViewEditor<'_>,
        id: &str,
        entry: &NewAuditEntry,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let shared: Option<i64> = sqlx::query_scalar(
            "DELETE FROM saved_view WHERE workspace_id = $1 AND (owner = $2 OR (shared = 1 AND $3 = 1)) AND id = $4 \
             RETURNING shared",
        )
        .bind(workspace.0)
        .bind(editor.subject)
        .bind(i64::from(editor.is_admin))
        .bind(id)
        .fetch_optional(&mut *tx)
        .await?;
        if shared == Some(1) {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await?;
        Ok(shared.is_some())
    }

    /// Sets the view that `owner`'s list opens with.
    pub async fn set_default_view(&self, workspace: WorkspaceId, owner: &str, list: ViewList, id: &str) -> Result<()> {
        sqlx::query(
            "INSERT INTO default_view (workspace_id, owner, list, view_id) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, owner, list) DO UPDATE SET view_id = excluded.view_id",
        )
        .bind(workspace.0)
        .bind(owner)
        .bind(list.as_str())
        .bind(id)
        .execute(&self.writer)
        .await
        .map(drop)
    }
}

fn built_in_id(name: &str) -> String {
    format!("built-in.{}", name.to_lowercase())
}
