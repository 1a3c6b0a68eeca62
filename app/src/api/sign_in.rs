//! The MANTYX instance that the sign-in page names. No sign-in is needed to read it.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::AppError;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInInfo {
    pub mantyx_host: String,
    /// The dashboard uses the embedded sandbox, where every user may sign in.
    pub sandbox: bool,
}

#[server(prefix = "/rpc", endpoint = "sign-in-info", input = leptos::server_fn::codec::GetUrl)]
pub async fn read_sign_in_info() -> Result<SignInInfo, AppError> {
    Ok(use_context::<SignInInfo>().unwrap_or_default())
}
