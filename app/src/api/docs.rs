//! The documentation of the JSON API. No sign-in is needed to read it.

use leptos::prelude::*;

use crate::AppError;
use crate::wire::Wire;

#[server(prefix = "/rpc", endpoint = "api-docs", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_api_docs() -> Result<Wire<String>, AppError> {
    let docs = use_context::<crate::backend::ApiDocs>().ok_or_else(|| AppError::not_found("page"))?;
    Ok(Wire::encode(&(docs.0)()))
}
