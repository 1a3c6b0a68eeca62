//! The launch form in the browser: sends the form in the background and shows the response in place.
//!
//! `launch_check.rs` checks the form while the user types. After a pause the form is sent to the server, which saves the
//! draft and returns the HTML that counts.
//!
//! A control that changed after the form was sent keeps its value when the response is shown, and is sent again. Open
//! folds stay open.

use crate::model::launch::LaunchPageModel;

/// Handles the form of a page. `again` if another page showed one just before: its controls may still show what the user
/// typed there.
pub fn watch_launch_form(page: LaunchPageModel, again: bool) {
    #[cfg(feature = "hydrate")]
    browser::watch(page, again);
    #[cfg(not(feature = "hydrate"))]
    let _ = (page, again);
}

#[cfg(feature = "hydrate")]
pub(super) mod browser {
    use std::time::Duration;

    use gloo_net::http::Request;
    use leptos::ev::{self, SubmitEvent};
    use leptos::prelude::*;
    use leptos::task::spawn_local;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::js_sys::Reflect;
    use web_sys::{Element, Event, FormData, HtmlElement, HtmlFormElement, HtmlInputElement};

    use crate::AppError;
    use crate::browser::dom::{closest, copy_then};
    use crate::browser::launch_check;
    use crate::browser::post::browser::{form_data, send as send_request};
    use crate::browser::update_html::{REPLACED, parse, update_content};
    use crate::components::icon::Icon;
    use crate::model::launch::{LaunchPageModel, LaunchResponse};
    use crate::wire::Wire;

    /// The pause after the last change before the form is sent.
    const PAUSE: Duration = Duration::from_millis(250);
    /// The form is sent at least this often while the user types without a pause.
    const AT_LEAST_EVERY: Duration = Duration::from_secs(2);

    const BATCH: &str = "#fold-batch";

    #[derive(Clone, Copy)]
    pub struct LaunchForm {
        /// As the server sent it last.
        pub page: StoredValue<LaunchPageModel>,
        progress: StoredValue<Progress>,
        /// Navigates to another page.
        open: Callback<String>,
    }

    #[derive(Default)]
    struct Progress {
        /// Counts changes, to detect a pause.
        changes: u64,
        /// The changes that were sent.
        sent_changes: u64,
        /// The form will be sent also without a pause.
        send_is_due: bool,
        /// Counts requests: only the last response is shown.
        requests: u64,
        /// The response to a button is pending. Changes are sent after it.
        awaiting_action: bool,
        /// A pointer is down on a button. An update now could remove the button before the click.
        pointer_down: bool,
        /// There was a change or a response while the pointer was down.
        postponed: bool,
    }

    pub fn watch(page: LaunchPageModel, again: bool) {
        let navigate = leptos_router::hooks::use_navigate();
        let open = Callback::new(move |href: String| navigate(&href, Default::default()));
        let form = LaunchForm { page: StoredValue::new(page), progress: StoredValue::default(), open };
        Effect::new(move |_| {
            form.listen();
            launch_check::preload();
            if again {
                request_animation_frame(move || {
                    if let Some(page) = form.page.try_get_value() {
                        form.show(page, None);
                    }
                });
            }
        });
    }

    impl LaunchForm {
        /// Reads or changes the progress. Returns `None` after the user left the page.
        fn with<T>(self, read: impl FnOnce(&mut Progress) -> T) -> Option<T> {
            self.progress.try_update_value(read)
        }

        fn listen(self) {
            let edited = move |event: &Event| match closest(event, ".option-filter") {
                Some(line) => filter_options(&line),
                None if is_in_form(event) => self.changed(),
                None => {}
            };
            // Changes are saved when the page is left, and sent again when the connection returns.
            let save = move || {
                if self.has_unsent_changes() {
                    send_in_background();
                }
            };
            // Postponed work is done when the pointer is released anywhere. The click event follows the release.
            let release = move || {
                let is_due = |progress: &mut Progress| {
                    std::mem::take(&mut progress.pointer_down) && std::mem::take(&mut progress.postponed)
                };
                if self.with(is_due) == Some(true) {
                    self.changed();
                }
            };
            let listeners = [
                window_event_listener(ev::submit, move |event| {
                    if is_in_form(&event) {
                        self.submit(&event);
                    }
                }),
                window_event_listener(ev::input, move |event| edited(&event)),
                window_event_listener(ev::change, move |event| edited(&event)),
                window_event_listener(ev::click, |event| {
                    if let Some(button) = closest(&event, ".program > .copy") {
                        copy_program(&button);
                    }
                }),
                // Only buttons count: a select may consume the pointer's release.
                window_event_listener(ev::pointerdown, move |event| {
                    if is_in_form(&event) {
                        self.with(|progress| progress.pointer_down = closest(&event, "button").is_some());
                    }
                }),
                window_event_listener(ev::pointerup, move |_| set_timeout(release, Duration::ZERO)),
                window_event_listener(ev::pointercancel, move |_| release()),
                window_event_listener_untyped("pagehide", move |_| save()),
                window_event_listener(ev::online, move |_| self.changed()),
            ];
            on_cleanup(move || {
                save();
                listeners.into_iter().for_each(WindowListenerHandle::remove);
            });
        }

        fn submit(self, event: &SubmitEvent) {
            event.prevent_default();
            set_status("Working…", false);
            self.with(|progress| {
                progress.awaiting_action = true;
                // Earlier changes are sent with the button. Sending them again would replace its response.
                progress.changes += 1;
                progress.sent_changes = progress.changes;
                progress.postponed = false;
            });
            if let Some(fields) = form_data(event) {
                self.send(fields, true);
            }
        }

        /// Checks a change in the browser, and sends it to the server after a pause.
        fn changed(self) {
            if self.with(|progress| progress.pointer_down) == Some(true) {
                self.with(|progress| progress.postponed = true);
                return;
            }
            launch_check::check_later(self);
            let Some((now, send_is_due)) = self.with(|progress| {
                progress.changes += 1;
                (progress.changes, std::mem::replace(&mut progress.send_is_due, true))
            }) else {
                return;
            };
            let send_after_pause = move || {
                if self.with(|progress| progress.changes) == Some(now) {
                    self.send_changes();
                }
            };
            set_timeout(send_after_pause, PAUSE);
            if !send_is_due {
                let send = move || {
                    if self.with(|progress| std::mem::take(&mut progress.send_is_due)) == Some(true) {
                        self.send_changes();
                    }
                };
                set_timeout(send, AT_LEAST_EVERY);
            }
        }

        fn has_unsent_changes(self) -> bool {
            self.with(|progress| progress.changes != progress.sent_changes) == Some(true)
        }

        /// Sends the form, unless a button is about to or nothing changed.
        fn send_changes(self) {
            if self.has_unsent_changes()
                && self.with(|progress| progress.awaiting_action) == Some(false)
                && let Some(fields) = form_fields()
            {
                self.with(|progress| progress.sent_changes = progress.changes);
                self.send(fields, false);
            }
        }

        fn send(self, sent: FormData, by_button: bool) {
            let count = |progress: &mut Progress| {
                progress.requests += 1;
                progress.requests
            };
            let ticket = self.with(count);
            spawn_local(async move {
                let answer = post(&sent).await;
                if ticket.is_none() || self.with(|progress| progress.requests) != ticket {
                    return;
                }
                self.with(|progress| progress.awaiting_action = false);
                let is_signed_out = matches!(answer, Err(AppError::SignedOut) | Ok(LaunchResponse::Foreign { .. }));
                let status = match answer {
                    Ok(LaunchResponse::Done { href }) => {
                        self.open.run(href);
                        String::new()
                    }
                    Ok(LaunchResponse::Page { page }) => {
                        let status = page.draft_status.clone();
                        replace_address();
                        // An update would reset a chosen file, which the next button sends.
                        if !by_button && self.with(|progress| progress.pointer_down) == Some(true) {
                            self.with(|progress| progress.postponed = true);
                        } else if by_button || !has_chosen_file() {
                            self.show(*page, Some(&sent));
                        } else {
                            show_batch(&page.html);
                        }
                        status
                    }
                    Ok(LaunchResponse::Foreign { message }) => message,
                    Err(AppError::SignedOut) => "You are signed out. Sign in again to restore your draft.".to_owned(),
                    Err(error) => error.to_string(),
                };
                set_status(&status, is_signed_out);
            });
        }

        /// Shows a page. Controls get their values in it, except those that changed since the form was sent.
        fn show(self, page: LaunchPageModel, sent: Option<&FormData>) {
            let fresh = parse(&page.html);
            let (Some(form), Some(fresh)) = (form_element(), fresh) else { return };
            let Some(fresh_fields) = fresh.query_selector("form").ok().flatten().and_then(|form| fields_of(&form))
            else {
                return;
            };
            let (Some(now), Some(part)) = (fields_of(&form), form.parent_element()) else { return };
            let is_changed = |name: &str| sent.is_some_and(|sent| text_of(&now, name) != text_of(sent, name));
            let key = |fold: &Element| (fold.id(), fold.get_attribute(REPLACED));
            let open: Vec<_> = elements("details[open][id]").map(|fold| key(&fold)).collect();
            // Don't reformat JSON while the user edits it.
            let edits_json = document().active_element().is_some_and(|active| active.id() == "json");
            if let Some(json) = fresh.query_selector("#json").ok().flatten().filter(|_| edits_json) {
                json.set_text_content(element("json").and_then(|json| json.text_content()).as_deref());
            }
            update_content(&part, &fresh);
            for fold in elements("details[id]").filter(|fold| open.contains(&key(fold))) {
                let _ = fold.set_attribute("open", "");
            }
            let mut has_changes = false;
            for control in elements("#launch [name][id]") {
                let name = control.get_attribute("name").unwrap_or_default();
                let is_own = is_changed(&name);
                let values = if is_own { &now } else { &fresh_fields }.get_all(&name);
                match control.get_attribute("type").as_deref() {
                    Some("file") => continue,
                    // A checkbox has an empty value and, if it is checked, its own.
                    Some("checkbox") => control.unchecked_ref::<HtmlInputElement>().set_checked(values.length() > 1),
                    _ if name == "json" && edits_json => {}
                    _ => set_value(&control, &values.get(0)),
                }
                has_changes |= is_own;
            }
            let focus = page.focus.clone();
            self.page.try_set_value(page);
            if has_changes {
                self.changed();
            }
            if let Some(element) = focus.and_then(|id| element(&id)?.dyn_into::<HtmlElement>().ok()) {
                let _ = element.focus();
                element.scroll_into_view();
            }
        }
    }

    /// Shows what the server says about a chosen file, which an update of the whole form would reset.
    fn show_batch(html: &str) {
        let fresh = parse(html).and_then(|fresh| fresh.query_selector(BATCH).ok().flatten());
        let (Some(shown), Some(fresh)) = (elements(BATCH).next(), fresh) else { return };
        update_content(&shown, &fresh);
        if let Some(inputs) = elements("#launch [name=\"batch.inputs\"]").next() {
            set_value(&inputs, &inputs.text_content().unwrap_or_default().into());
        }
    }

    fn is_in_form(event: &Event) -> bool {
        closest(event, "#launch").is_some()
    }

    fn form_element() -> Option<Element> {
        element("launch")
    }

    pub fn form_fields() -> Option<FormData> {
        fields_of(&form_element()?)
    }

    fn fields_of(form: &Element) -> Option<FormData> {
        FormData::new_with_form(form.dyn_ref::<HtmlFormElement>()?).ok()
    }

    pub fn element(id: &str) -> Option<Element> {
        document().get_element_by_id(id)
    }

    pub fn elements(selector: &str) -> impl Iterator<Item = Element> {
        let found = document().query_selector_all(selector).ok();
        let count = found.as_ref().map_or(0, |found| found.length());
        (0..count).filter_map(move |i| found.as_ref()?.item(i)?.dyn_into().ok())
    }

    /// The state of the last request, beside the buttons.
    fn set_status(status: &str, is_signed_out: bool) {
        if let Some(line) = element("launch-status").filter(|line| line.text_content().as_deref() != Some(status)) {
            line.set_text_content(Some(status));
        }
        if let Some(link) = element("launch-sign-in") {
            let _ = link.toggle_attribute_with_force("hidden", !is_signed_out);
        }
    }

    /// Hides the options that don't have the words of the text line before their select. The form doesn't change.
    fn filter_options(line: &Element) {
        let words = line.unchecked_ref::<HtmlInputElement>().value().to_lowercase();
        let Some(options) = line.next_element_sibling().map(|select| select.children()) else { return };
        for option in (0..options.length()).filter_map(|i| options.item(i)) {
            let has_words = option.text_content().is_some_and(|text| text.to_lowercase().contains(&words));
            let _ = option.toggle_attribute_with_force("hidden", !has_words);
        }
    }

    /// Copies the code after the button.
    fn copy_program(button: &Element) {
        let code = button.next_element_sibling().and_then(|code| code.text_content()).unwrap_or_default();
        let path = button.query_selector("path").ok().flatten();
        copy_then(&code, move || drop(path.map(|path| path.set_attribute("d", Icon::Check.path()))));
    }

    /// The response is ignored: the page is gone.
    fn send_in_background() {
        if let Some(fields) = form_fields() {
            let _ = window().navigator().send_beacon_with_opt_form_data("/launch", Some(&fields));
        }
    }

    /// A reload must show the draft, whatever the page started from. The router isn't used, since it would load the page
    /// again.
    fn replace_address() {
        if window().location().search().is_ok_and(|query| !query.is_empty())
            && let Ok(history) = window().history()
        {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some("/launch"));
        }
    }

    async fn post(fields: &FormData) -> Result<LaunchResponse, AppError> {
        let body = send_request(Request::post("/launch").header("Accept", "application/json").body(fields)).await?;
        let unreadable = |error: serde_json::Error| AppError::Transport { message: error.to_string() };
        serde_json::from_str::<Wire<LaunchResponse>>(&body).map_err(unreadable)?.decode()
    }

    /// Returns all values of a name.
    fn text_of(fields: &FormData, name: &str) -> String {
        String::from(fields.get_all(name).join("\u{1f}"))
    }

    fn has_chosen_file() -> bool {
        elements("#launch [type=file]").any(|input| !input.unchecked_ref::<HtmlInputElement>().value().is_empty())
    }

    /// Setting the value that a control has already would move the cursor.
    fn set_value(control: &Element, value: &JsValue) {
        let property = JsValue::from_str("value");
        if Reflect::get(control, &property).is_ok_and(|now| now != *value) {
            let _ = Reflect::set(control, &property, value);
            control.set_scroll_left(0);
        }
    }
}
