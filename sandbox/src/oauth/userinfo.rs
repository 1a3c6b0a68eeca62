//! `GET userinfo`: who a credential speaks for.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use protocol::messages::{UserInfo, WorkspaceInfo};

use crate::api::auth::Caller;
use crate::api::errors::ApiResult;
use crate::app::App;

pub async fn get(State(app): State<Arc<App>>, headers: HeaderMap) -> ApiResult<Json<UserInfo>> {
    let caller = Caller::authenticate(&app, &headers).await?;
    caller.require("mantyx.identity:read")?;
    let workspace = caller.workspace;
    Ok(Json(UserInfo {
        sub: caller.account.map_or_else(|| format!("key:{}", workspace.slug), |account| account.sub.to_owned()),
        email: caller.account.map(|account| account.email.to_owned()),
        workspace: WorkspaceInfo {
            id: workspace.id.to_owned(),
            slug: workspace.slug.to_owned(),
            name: workspace.name.to_owned(),
        },
    }))
}
