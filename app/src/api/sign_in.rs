//! The MANTYX instance that the sign-in page names. No sign-in is needed to read it.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::AppError;
use crate::wire::Wire;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInInfo {
    pub mantyx_host: String,
    /// The dashboard uses the embedded sandbox, where every user may sign in.
    pub sandbox: bool,
}

#[server(prefix = "/rpc", endpoint = "sign-in-info", input = leptos::server_fn::codec::GetUrl)]
pub async fn load_sign_in() -> Result<Wire<SignInInfo>, AppError> {
    Ok(Wire::encode(&use_context::<SignInInfo>().unwrap_or_default()))
}
