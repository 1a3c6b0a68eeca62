//! Sends a form in the background, or turns it into a URL.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::AppError;

/// The result of a form, with the server's message if it returned one.
pub type FormResult = Result<Option<String>, AppError>;

/// Sends the fields that the browser would submit, and stores the result in `outcome`.
pub fn post_form(event: SubmitEvent, outcome: RwSignal<Option<FormResult>>) {
    event.prevent_default();
    #[cfg(feature = "hydrate")]
    if let Some((url, body)) = browser::fields(&event)
        && let Some(sending) = browser::Sending::begin(&event)
    {
        leptos::task::spawn_local(async move {
            let response = browser::post(&url, body).await;
            drop(sending);
            // The viewer may have left the page.
            let _ = outcome.try_set(Some(response));
        });
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = outcome;
}

/// Returns the URL that a GET form opens. Empty fields are omitted, except `q`: without it a list shows its default
/// view. The values of `q` become one, because the filter bar has a field for the filter so far and one to add to it.
pub fn form_url(event: &SubmitEvent, path: &str) -> Option<String> {
    #[cfg(feature = "hydrate")]
    {
        let (_, fields) = browser::fields(event)?;
        let (filter, others): (Vec<&str>, Vec<&str>) = fields.split('&').partition(|pair| pair.starts_with("q="));
        let others =
            others.into_iter().filter(|pair| !pair.ends_with('=') && !pair.starts_with('=')).map(str::to_owned);
        let values: Vec<&str> = filter.iter().map(|pair| &pair[2..]).filter(|value| !value.is_empty()).collect();
        let filter = (!filter.is_empty()).then(|| format!("q={}", values.join("+")));
        let query = others.chain(filter).collect::<Vec<_>>().join("&");
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
pub(super) mod browser {
    use gloo_net::http::Request;
    use wasm_bindgen::JsCast;
    use web_sys::{FormData, HtmlButtonElement, HtmlFormElement, UrlSearchParams};

    use super::*;

    const SENDING: &str = "data-sending";

    /// Returns the form's URL and its encoded fields, including the button that was pressed.
    pub fn fields(event: &SubmitEvent) -> Option<(String, String)> {
        let form: HtmlFormElement = event.target()?.dyn_into().ok()?;
        let data = form_data(event)?;
        let body = UrlSearchParams::new_with_str_sequence_sequence(&data).ok()?;
        Some((form.action(), String::from(body.to_string())))
    }

    /// Returns the form's fields and files, including the button that was pressed.
    pub fn form_data(event: &SubmitEvent) -> Option<FormData> {
        let data = FormData::new_with_form(&event.target()?.dyn_into().ok()?).ok()?;
        let button = event.submitter().and_then(|button| button.dyn_into::<HtmlButtonElement>().ok());
        if let Some(button) = button.filter(|button| !button.name().is_empty()) {
            data.append_with_str(&button.name(), &button.value()).ok()?;
        }
        Some(data)
    }

    /// Marks a form while it is sent, so that a second click sends nothing.
    pub struct Sending(HtmlFormElement);

    impl Sending {
        pub fn begin(event: &SubmitEvent) -> Option<Self> {
            let form: HtmlFormElement = event.target()?.dyn_into().ok()?;
            if form.has_attribute(SENDING) {
                return None;
            }
            form.set_attribute(SENDING, "").ok()?;
            Some(Self(form))
        }
    }

    impl Drop for Sending {
        fn drop(&mut self) {
            let _ = self.0.remove_attribute(SENDING);
        }
    }

    pub async fn post(url: &str, body: String) -> FormResult {
        let request = Request::post(url)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Accept", "application/json")
            .body(body);
        Ok(serde_json::from_str(&send(request).await?).ok())
    }

    /// Sends a request and returns the body of the response.
    pub async fn send(request: Result<Request, gloo_net::Error>) -> Result<String, AppError> {
        let failed = |error: gloo_net::Error| AppError::Transport { message: error.to_string() };
        let response = request.map_err(failed)?.send().await.map_err(failed)?;
        let text = response.text().await.map_err(failed)?;
        let unreadable = || match response.status() {
            413 => AppError::Conflict { message: "The form is too large. Choose smaller files".to_owned() },
            status => AppError::Transport { message: format!("status {status}") },
        };
        if response.ok() { Ok(text) } else { Err(serde_json::from_str(&text).unwrap_or_else(|_| unreadable())) }
    }
}
