//! Sends a form with a file, and reports the progress.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

/// The state of an upload.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Upload {
    #[default]
    Idle,
    /// Bytes sent, and bytes in total.
    Sending(u64, u64),
    Failed,
}

/// Sends the form, then opens the page that the server redirects to. `show` opens the results on the page of the form, which
/// keeps what was typed.
pub fn upload_form(event: SubmitEvent, state: RwSignal<Upload>, show: Callback<String>) {
    #[cfg(feature = "hydrate")]
    if browser::send(&event, state, show).is_ok() {
        event.prevent_default();
        state.set(Upload::Sending(0, 0));
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (event, state, show);
}

#[cfg(feature = "hydrate")]
mod browser {
    use wasm_bindgen::closure::Closure;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::{FormData, HtmlFormElement, HtmlInputElement, ProgressEvent, XmlHttpRequest};

    use super::*;

    /// Uses `XMLHttpRequest`, because `fetch` doesn't report upload progress.
    pub fn send(event: &SubmitEvent, state: RwSignal<Upload>, show: Callback<String>) -> Result<(), JsValue> {
        let form: HtmlFormElement = event.target().ok_or(JsValue::NULL)?.dyn_into()?;
        let data = FormData::new_with_form(&form)?;
        let request = XmlHttpRequest::new()?;
        request.open("POST", &form.action())?;
        let progress = Closure::<dyn FnMut(ProgressEvent)>::new(move |event: ProgressEvent| {
            state.try_set(Upload::Sending(event.loaded() as u64, event.total() as u64));
        });
        let progress = progress.into_js_value();
        request.upload()?.set_onprogress(Some(progress.unchecked_ref()));
        let failed = Closure::<dyn FnMut()>::new(move || fail(state)).into_js_value();
        request.set_onerror(Some(failed.unchecked_ref()));
        let response = request.clone();
        let on_load = Closure::<dyn FnMut()>::new(move || {
            // The server redirects to the run, or back to the form with an error.
            let url = response.response_url();
            match url.strip_prefix(&form.action()) {
                _ if url.is_empty() => fail(state),
                Some(results) => {
                    clear(&form, results.contains("problem="));
                    state.try_set(Upload::Idle);
                    show.run(results.to_owned());
                }
                None => drop(window().location().set_href(&url)),
            }
        });
        request.set_onload(Some(on_load.into_js_value().unchecked_ref()));
        request.send_with_opt_form_data(Some(&data))
    }

    /// Clears the files, which have their results, and after a success also the text.
    fn clear(form: &HtmlFormElement, has_problems: bool) {
        if !has_problems {
            form.reset();
        } else if let Ok(Some(files)) = form.query_selector("input[type=file]") {
            files.unchecked_into::<HtmlInputElement>().set_value("");
        }
    }

    /// The viewer may have left the page.
    fn fail(state: RwSignal<Upload>) {
        state.try_set(Upload::Failed);
    }
}
