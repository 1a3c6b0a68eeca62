//! What a page can do to a run. Plain forms send the same requests without JavaScript and come back to their page.

use leptos::prelude::*;

use crate::AppError;
use domain::Thumb;

#[server(prefix = "/rpc", endpoint = "cancel-run")]
pub async fn cancel_run(id: String) -> Result<(), AppError> {
    super::with_status(async { crate::backend::workspace()?.cancel_run(&id).await }.await)
}

/// Answers a local tool call, with a result or with an error. Either is text; structured results are JSON as text.
#[server(prefix = "/rpc", endpoint = "answer-call")]
pub async fn answer_call(
    id: String,
    tool_use_id: String,
    text: String,
    #[server(default)] failed: bool,
) -> Result<(), AppError> {
    let answered = async {
        let answer = if failed { Err(text) } else { Ok(text) };
        crate::backend::workspace()?.answer_call(&id, &tool_use_id, answer).await
    };
    super::with_status(answered.await)
}

#[server(prefix = "/rpc", endpoint = "give-feedback")]
pub async fn give_feedback(
    id: String,
    thumb: Thumb,
    #[server(default)] explanation: String,
) -> Result<String, AppError> {
    super::with_status(async { crate::backend::workspace()?.give_feedback(&id, thumb, explanation.trim()).await }.await)
}
