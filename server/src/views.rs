//! Saved views of the signed-in user. The body of a change names the list, so its scope is checked here.

use app::AppError;
use domain::{AuditAction, View, ViewChange, ViewList, ViewScope};
use protocol::Query;

use crate::auth::scopes::{RUNS_READ, SESSIONS_READ, includes};
use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::masking::masked;
use crate::random;
use crate::state::AppState;
use crate::store::{Grant, NewView, ViewEditor};

const MAX_NAME_CHARS: usize = 80;
/// Views per user and list.
const MAX_VIEWS: usize = 200;

pub async fn list(state: &AppState, caller: &Caller, list: ViewList) -> Result<Vec<View>, Error> {
    let owner = owner(state, caller).await?;
    Ok(state.store.views(caller.workspace_id, owner.as_deref(), list).await?)
}

/// The scope that a list and its views need.
pub fn scope_of(list: ViewList) -> &'static str {
    match list {
        ViewList::Runs => RUNS_READ,
        ViewList::Sessions => SESSIONS_READ,
    }
}

pub async fn create(state: &AppState, caller: &Caller, change: ViewChange) -> Result<View, Error> {
    let owner = owner_with_scope(state, caller, change.list).await?;
    let views = state.store.views(caller.workspace_id, Some(&owner), change.list).await?;
    if views.iter().filter(|view| view.is_mine).count() >= MAX_VIEWS {
        return Err(invalid("name", format!("You already have {MAX_VIEWS} views. Delete one first.")));
    }
    let view = NewView {
        list: change.list,
        name: change.name.unwrap_or_default(),
        query: change.query.unwrap_or_default(),
        shared: change.shared.unwrap_or(false),
    };
    let view = validated(view)?;
    check_unique_name(&views, &view.name, None)?;
    let id = format!("view_{}", random::reference());
    let entry = view.shared.then(|| caller.actor.entry(AuditAction::ShareView).about(&id));
    state.store.insert_view(caller.workspace_id, &owner, &id, &view, entry.as_ref(), now_ms()).await?;
    find(state, caller, &owner, change.list, &id).await
}

pub async fn change(state: &AppState, caller: &Caller, id: &str, change: ViewChange) -> Result<View, Error> {
    let owner = owner_with_scope(state, caller, change.list).await?;
    let known = find(state, caller, &owner, change.list, id).await?;
    let was_shared = known.scope == ViewScope::Shared;
    let view = NewView {
        list: change.list,
        // A form sends the name as its page shows it.
        name: change.name.filter(|name| *name != masked(&known.name)).unwrap_or(known.name),
        query: change.query.unwrap_or(known.query),
        shared: change.shared.unwrap_or(was_shared),
    };
    let view = validated(view)?;
    let views = state.store.views(caller.workspace_id, Some(&owner), change.list).await?;
    check_unique_name(&views, &view.name, Some(id))?;
    let action = match (was_shared, view.shared) {
        (false, true) => Some(AuditAction::ShareView),
        (true, _) => Some(AuditAction::ChangeSharedView),
        (false, false) => None,
    };
    let entry = action.map(|action| caller.actor.entry(action).about(id));
    let editor = editor(state, caller, &owner);
    if !state.store.update_view(caller.workspace_id, editor, id, &view, entry.as_ref()).await? {
        return Err(not_owner().into());
    }
    find(state, caller, &owner, change.list, id).await
}

pub async fn delete(state: &AppState, caller: &Caller, id: &str) -> Result<(), Error> {
    let grant = required_grant(state, caller).await?;
    let owner = grant.subject;
    let Some(list) = state.store.view_list(caller.workspace_id, id).await? else {
        return Err(AppError::not_found("view").into());
    };
    if !includes(&grant.scopes, scope_of(list)) {
        return Err(AppError::MissingScope { scope: scope_of(list).to_owned() }.into());
    }
    let entry = caller.actor.entry(AuditAction::DeleteSharedView).about(id);
    match state.store.delete_view(caller.workspace_id, editor(state, caller, &owner), id, &entry).await? {
        true => Ok(()),
        false => Err(AppError::not_found("view").into()),
    }
}

/// Sets the view that the caller's list opens with.
pub async fn set_default(state: &AppState, caller: &Caller, list: ViewList, id: &str) -> Result<(), Error> {
    let owner = owner_with_scope(state, caller, list).await?;
    find(state, caller, &owner, list, id).await?;
    Ok(state.store.set_default_view(caller.workspace_id, &owner, list, id).await?)
}

/// Those who may change a view: its owner, and an administrator if it is shared.
fn editor<'a>(state: &AppState, caller: &Caller, owner: &'a str) -> ViewEditor<'a> {
    ViewEditor { subject: owner, is_admin: state.admins.name(&caller.actor) }
}

async fn find(state: &AppState, caller: &Caller, owner: &str, list: ViewList, id: &str) -> Result<View, Error> {
    let views = state.store.views(caller.workspace_id, Some(owner), list).await?;
    views.into_iter().find(|view| view.id == id).ok_or_else(|| AppError::not_found("view").into())
}

/// Returns the subject of the signed-in user, or `None` for an API key.
pub async fn owner(state: &AppState, caller: &Caller) -> Result<Option<String>, Error> {
    match &caller.credential {
        Credential::Grant(id) => Ok(state.store.grant(id).await?.map(|grant| grant.subject)),
        Credential::Bearer(_) => Ok(None),
    }
}

/// Returns the subject of a signed-in user who may see the list.
async fn owner_with_scope(state: &AppState, caller: &Caller, list: ViewList) -> Result<String, Error> {
    let grant = required_grant(state, caller).await?;
    match includes(&grant.scopes, scope_of(list)) {
        true => Ok(grant.subject),
        false => Err(AppError::MissingScope { scope: scope_of(list).to_owned() }.into()),
    }
}

async fn required_grant(state: &AppState, caller: &Caller) -> Result<Grant, Error> {
    let grant = match &caller.credential {
        Credential::Grant(id) => state.store.grant(id).await?,
        Credential::Bearer(_) => None,
    };
    let message = "Sign in to save or change views.".to_owned();
    grant.ok_or_else(|| AppError::Forbidden { message }.into())
}

/// Fails if the user already has a view with this name, because the tabs would look the same.
fn check_unique_name(views: &[View], name: &str, changed: Option<&str>) -> Result<(), Error> {
    match views.iter().any(|view| view.is_mine && view.name == name && Some(view.id.as_str()) != changed) {
        true => Err(invalid("name", format!("You already have a view “{name}”. Choose another name."))),
        false => Ok(()),
    }
}

fn validated(view: NewView) -> Result<NewView, Error> {
    let name = view.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        return Err(invalid("name", format!("Give the view a name of at most {MAX_NAME_CHARS} characters.")));
    }
    if name.chars().any(char::is_control) {
        let message = "A name can't contain line breaks or other control characters. Remove them.";
        return Err(invalid("name", message.to_owned()));
    }
    // Stored in normalized form, so that equal filters are equal strings.
    let query = match view.list {
        ViewList::Runs => Query::parse(&view.query),
        ViewList::Sessions => Query::parse_for_sessions(&view.query),
    };
    let query = query.map_err(|error| invalid("query", error.to_string()))?.to_string();
    Ok(NewView { name, query, ..view })
}

fn not_owner() -> AppError {
    AppError::Forbidden { message: "Only the owner of a view can change it.".to_owned() }
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}
