//! `GET userinfo`: the account and workspace of a credential.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use serde_json::{Value, json};

use crate::api::auth::Caller;
use crate::api::errors::ApiResult;
use crate::app::App;

pub async fn get(State(app): State<Arc<App>>, headers: HeaderMap) -> ApiResult<Json<Value>> {
    let caller = Caller::authenticate(&app, &headers).await?;
    caller.require("mantyx.identity:read")?;
    let (account, workspace) = (caller.account, caller.workspace);
    let subject = account.map_or_else(|| format!("key:{}", workspace.slug), |account| account.sub.to_owned());
    let email = account.map(|account| account.email);
    let workspace = json!({ "id": workspace.id, "slug": workspace.slug, "name": workspace.name });
    Ok(Json(json!({ "sub": subject, "email": email, "workspace": workspace })))
}
