//! Sends a form in the background, or makes an address of it.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::AppError;

/// What came of a form: the server's words where it had some.
pub type Sent = Result<Option<String>, AppError>;

/// Sends what the browser would have sent, and keeps what the server answered in `outcome`.
pub fn post_form(event: SubmitEvent, outcome: RwSignal<Option<Sent>>) {
    event.prevent_default();
    #[cfg(feature = "hydrate")]
    if let Some((address, body)) = browser::fields(&event) {
        leptos::task::spawn_local(async move {
            let answer = browser::send(&address, body).await;
            // The page may have been left meanwhile.
            let _ = outcome.try_set(Some(answer));
        });
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = outcome;
}

/// Where a form leads whose fields become the address. What was left empty is left out, but for the filter: a list without
/// one shows its default.
pub fn form_address(event: &SubmitEvent, path: &str) -> Option<String> {
    #[cfg(feature = "hydrate")]
    {
        let (_, fields) = browser::fields(event)?;
        let said = fields.split('&').filter(|pair| *pair == "q=" || !pair.ends_with('=') && !pair.starts_with('='));
        let query = said.collect::<Vec<_>>().join("&");
        let here = || window().location().pathname().ok();
        let path = Some(path.to_owned()).filter(|path| !path.is_empty()).or_else(here)?;
        Some(if query.is_empty() { path } else { format!("{path}?{query}") })
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (event, path);
        None
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use gloo_net::http::Request;
    use wasm_bindgen::JsCast;
    use web_sys::{FormData, HtmlButtonElement, HtmlFormElement, UrlSearchParams};

    use super::*;

    /// Where the form goes, and its fields as the browser writes them, with the button that was pressed.
    pub fn fields(event: &SubmitEvent) -> Option<(String, String)> {
        let form: HtmlFormElement = event.target()?.dyn_into().ok()?;
        let data = FormData::new_with_form(&form).ok()?;
        let button = event.submitter().and_then(|button| button.dyn_into::<HtmlButtonElement>().ok());
        if let Some(button) = button.filter(|button| !button.name().is_empty()) {
            data.append_with_str(&button.name(), &button.value()).ok()?;
        }
        let body = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
        Some((form.action(), String::from(body.to_string())))
    }

    pub async fn send(address: &str, body: String) -> Sent {
        let failed = |error: gloo_net::Error| AppError::Transport { message: error.to_string() };
        let request = Request::post(address)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Accept", "application/json")
            .body(body)
            .map_err(failed)?;
        let answer = request.send().await.map_err(failed)?;
        let text = answer.text().await.map_err(failed)?;
        if answer.ok() {
            return Ok(serde_json::from_str(&text).ok());
        }
        Err(serde_json::from_str(&text)
            .unwrap_or(AppError::Transport { message: format!("status {}", answer.status()) }))
    }
}
