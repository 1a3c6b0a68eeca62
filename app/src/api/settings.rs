//! The settings page.

use leptos::prelude::*;

use crate::AppError;
use crate::model::settings::SettingsModel;
use crate::wire::Wire;

/// `audit` is the place in the audit log where its page begins.
#[server(prefix = "/rpc", endpoint = "settings", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_settings(#[server(default)] audit: Option<String>) -> Result<Wire<SettingsModel>, AppError> {
    let preferences = crate::preferences::list_from_request();
    let draft = crate::backend::form_notice().and_then(|notice| notice.draft);
    super::load(|backend| async move { backend.settings(audit.as_deref(), preferences, draft.as_deref()).await }).await
}
