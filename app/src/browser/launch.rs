//! The launch form in the browser: sends the form in the background and renders the response in place.
//!
//! `launch_check.rs` checks the form while the user types. After a pause the form is sent to the server, which saves the
//! draft and returns the page model that counts.
//!
//! A control that changed after the form was sent keeps its value when the response is rendered, and is sent again. Open
//! folds stay open.

use std::time::Duration;

use leptos::ev::{self, PointerEvent, SubmitEvent};
use leptos::prelude::*;

use crate::model::launch::{ClientFindings, LaunchPageModel};

/// The pause after the last change before the form is sent.
const PAUSE: Duration = Duration::from_millis(250);
/// The form is sent at least this often while the user types without a pause.
const AT_LEAST_EVERY: Duration = Duration::from_secs(2);

#[derive(Clone, Copy)]
pub struct LaunchFormState {
    pub page_model: RwSignal<LaunchPageModel>,
    pub findings: RwSignal<ClientFindings>,
    pub status: RwSignal<String>,
    /// The user was signed out. The server keeps the form until the next sign-in.
    pub signed_out: RwSignal<bool>,
    /// Counts changes, to detect a pause.
    changes: StoredValue<u64>,
    /// The changes that were sent.
    sent_changes: StoredValue<u64>,
    /// The form will be sent also without a pause.
    send_is_due: StoredValue<bool>,
    /// Counts requests: only the last response is rendered.
    #[cfg_attr(not(feature = "hydrate"), allow(dead_code))]
    requests: StoredValue<u64>,
    /// The response to a button is pending. Changes are sent after it.
    awaiting_action: StoredValue<bool>,
    /// A pointer is down on a button. Rendering now could remove the button before the click.
    pointer_down: StoredValue<bool>,
    /// There was a change or a response while the pointer was down.
    postponed: StoredValue<bool>,
    /// Navigates to another page, in the browser.
    #[cfg_attr(not(feature = "hydrate"), allow(dead_code))]
    open: Callback<String>,
}

pub fn launch_form_state(page: LaunchPageModel) -> LaunchFormState {
    let navigate = leptos_router::hooks::use_navigate();
    LaunchFormState {
        page_model: RwSignal::new(page),
        findings: RwSignal::default(),
        status: RwSignal::default(),
        signed_out: RwSignal::new(false),
        changes: StoredValue::new(0),
        sent_changes: StoredValue::new(0),
        send_is_due: StoredValue::new(false),
        requests: StoredValue::new(0),
        awaiting_action: StoredValue::new(false),
        pointer_down: StoredValue::new(false),
        postponed: StoredValue::new(false),
        open: Callback::new(move |href: String| navigate(&href, Default::default())),
    }
}

/// Hides the options that don't have the words of the text line before their select. The form doesn't change.
pub fn filter_options(event: &ev::Event) {
    event.stop_propagation();
    #[cfg(feature = "hydrate")]
    browser::filter_options(event);
}

impl LaunchFormState {
    pub fn submit(self, event: SubmitEvent) {
        event.prevent_default();
        self.status.set("Working…".to_owned());
        self.awaiting_action.set_value(true);
        // Earlier changes are sent with the button. Sending them again would replace its response.
        self.changes.update_value(|changes| *changes += 1);
        self.sent_changes.set_value(self.changes.get_value());
        self.postponed.set_value(false);
        #[cfg(feature = "hydrate")]
        if let Some(fields) = browser::fields_with_action(&event) {
            browser::send(self, fields, true);
        }
    }

    /// Checks a change in the browser, and sends it to the server after a pause.
    pub fn changed(self) {
        if self.pointer_down.get_value() {
            return self.postponed.set_value(true);
        }
        #[cfg(feature = "hydrate")]
        super::launch_check::check_later(self);
        self.changes.update_value(|changes| *changes += 1);
        let now = self.changes.get_value();
        let send = move || {
            if self.changes.try_get_value() == Some(now) {
                self.send_changes();
            }
        };
        set_timeout(send, PAUSE);
        if !self.send_is_due.get_value() {
            self.send_is_due.set_value(true);
            let send = move || {
                if self.send_is_due.try_update_value(std::mem::take) == Some(true) {
                    self.send_changes();
                }
            };
            set_timeout(send, AT_LEAST_EVERY);
        }
    }

    fn has_unsent_changes(self) -> bool {
        self.changes.try_get_value() != self.sent_changes.try_get_value()
    }

    /// Sends the form, unless a button is about to or nothing changed.
    fn send_changes(self) {
        if self.has_unsent_changes() && self.awaiting_action.try_get_value() == Some(false) {
            #[cfg(feature = "hydrate")]
            if let Some(fields) = browser::form_fields() {
                self.sent_changes.set_value(self.changes.get_value());
                browser::send(self, fields, false);
            }
        }
    }

    /// Saves changes when the page is left, and sends them again when the connection returns.
    pub fn save_when_left(self) {
        Effect::new(move |_| {
            let save = move || {
                #[cfg(feature = "hydrate")]
                if self.has_unsent_changes() {
                    browser::send_in_background();
                }
            };
            let left = window_event_listener_untyped("pagehide", move |_| save());
            let online = window_event_listener(ev::online, move |_| self.changed());
            on_cleanup(move || {
                save();
                left.remove();
                online.remove();
            });
        });
    }

    /// Only buttons count: a select may consume the pointer's release.
    #[cfg_attr(not(feature = "hydrate"), allow(unused_variables))]
    pub fn pointer_pressed(self, event: &PointerEvent) {
        #[cfg(feature = "hydrate")]
        self.pointer_down.set_value(browser::is_on_button(event));
    }

    /// Does the postponed work when the pointer is released anywhere.
    pub fn watch_pointer_release(self) {
        Effect::new(move |_| {
            let release = move || {
                if self.pointer_down.try_update_value(std::mem::take) == Some(true)
                    && self.postponed.try_update_value(std::mem::take) == Some(true)
                {
                    self.changed();
                }
            };
            // The click event follows this one.
            let up = window_event_listener(ev::pointerup, move |_| set_timeout(release, Duration::ZERO));
            let cancelled = window_event_listener(ev::pointercancel, move |_| release());
            on_cleanup(move || {
                up.remove();
                cancelled.remove();
            });
        });
    }

    /// Loads the code of `launch_check.rs` after the page.
    pub fn preload_checks(self) {
        Effect::new(|_| {
            #[cfg(feature = "hydrate")]
            super::launch_check::preload();
        });
    }

    /// Sets every control to its value in the page model.
    pub fn reset_controls(self) {
        #[cfg(feature = "hydrate")]
        request_animation_frame(move || {
            let _ = self.page_model.try_with_untracked(|page| {
                browser::set_control_values(page, &|_| None);
                browser::set_value("json", &page.json);
            });
        });
    }
}

#[cfg(feature = "hydrate")]
pub(super) mod browser {
    use gloo_net::http::Request;
    use leptos::task::{spawn_local, tick};
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::{
        Element, FormData, HtmlButtonElement, HtmlElement, HtmlFormElement, HtmlInputElement, HtmlSelectElement,
        HtmlTextAreaElement,
    };

    use super::*;
    use crate::AppError;
    use crate::model::launch::{Control, LaunchResponse};
    use crate::wire::Wire;

    pub fn fields_with_action(event: &SubmitEvent) -> Option<FormData> {
        let data = form_fields()?;
        let button: HtmlButtonElement = event.submitter()?.dyn_into().ok()?;
        data.append_with_str("action", &button.value()).ok()?;
        Some(data)
    }

    pub fn is_on_button(event: &PointerEvent) -> bool {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        target.is_some_and(|target| target.closest("button").is_ok_and(|button| button.is_some()))
    }

    pub fn form_fields() -> Option<FormData> {
        let form: HtmlFormElement = document().get_element_by_id("launch")?.dyn_into().ok()?;
        FormData::new_with_form(&form).ok()
    }

    pub fn filter_options(event: &ev::Event) {
        let Some(line) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else { return };
        let words = line.value().to_lowercase();
        let Some(options) = line.next_element_sibling().map(|select| select.children()) else { return };
        for option in (0..options.length()).filter_map(|i| options.item(i)) {
            let has_words = option.text_content().is_some_and(|text| text.to_lowercase().contains(&words));
            let _ = option.toggle_attribute_with_force("hidden", !has_words);
        }
    }

    /// The response is ignored: the page is gone.
    pub fn send_in_background() {
        if let Some(fields) = form_fields() {
            let _ = window().navigator().send_beacon_with_opt_form_data("/launch", Some(&fields));
        }
    }

    pub fn send(form: LaunchFormState, sent: FormData, by_button: bool) {
        form.requests.update_value(|requests| *requests += 1);
        let ticket = form.requests.get_value();
        spawn_local(async move {
            let answer = post(&sent).await;
            if form.requests.try_get_value() != Some(ticket) {
                return;
            }
            form.awaiting_action.set_value(false);
            form.status.set(String::new());
            form.signed_out.set(matches!(answer, Err(AppError::SignedOut)));
            match answer {
                Ok(LaunchResponse::Done { href }) => form.open.run(href),
                Ok(LaunchResponse::Page { page }) => {
                    form.status.set(page.draft_status.clone());
                    replace_address();
                    // Rendering would reset a chosen file, which the next button sends.
                    if !by_button && form.pointer_down.get_value() {
                        form.postponed.set_value(true);
                    } else if by_button || !form.page_model.with_untracked(has_chosen_file) {
                        render(form, *page, &sent).await;
                    }
                }
                Ok(LaunchResponse::Foreign { message }) => {
                    form.signed_out.set(true);
                    form.status.set(message);
                }
                Err(AppError::SignedOut) => {
                    form.status.set("You are signed out. Sign in again to restore your draft.".to_owned());
                }
                Err(error) => form.status.set(error.to_string()),
            }
        });
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

    async fn render(form: LaunchFormState, page: LaunchPageModel, sent: &FormData) {
        let Some(now) = form_fields() else { return };
        let value_now = |name: &str| (text_of(&now, name) != text_of(sent, name)).then(|| text_of(&now, name));
        let open = open_fold_ids();
        let active = document().active_element().map(|element| element.id());
        let (focus, json) = (page.focus.clone(), page.json.clone());
        form.page_model.set(page);
        form.findings.set(ClientFindings::default());
        // Wait until it is rendered. The user can't type meanwhile.
        tick().await;
        for id in open {
            if let Some(fold) = document().get_element_by_id(&id) {
                let _ = fold.set_attribute("open", "");
            }
        }
        let keep = |name: &str| value_now(name);
        // The user may have navigated away.
        let Some(changed) = form.page_model.try_with_untracked(|page| {
            set_control_values(page, &keep);
            has_changes(page, &keep)
        }) else {
            return;
        };
        // Don't reformat JSON while the user edits it.
        if active.as_deref() != Some("json") && value_now("json").is_none() {
            set_value("json", &json);
        }
        if changed || value_now("json").is_some() {
            form.changed();
        }
        if let Some(id) = focus {
            focus_element(&id);
        }
    }

    async fn post(fields: &FormData) -> Result<LaunchResponse, AppError> {
        let failed = |_: gloo_net::Error| AppError::Transport { message: "The server can't be reached".to_owned() };
        let request = Request::post("/launch").header("Accept", "application/json").body(fields).map_err(failed)?;
        let answer = request.send().await.map_err(failed)?;
        let (ok, text) = (answer.ok(), answer.text().await.map_err(failed)?);
        let unreadable = || match answer.status() {
            413 => AppError::Conflict { message: "The form is too large. Files can be 5 MB in total".to_owned() },
            status => AppError::Transport { message: format!("The server answered with status {status}") },
        };
        if ok {
            serde_json::from_str::<Wire<LaunchResponse>>(&text).map(|answer| answer.0).map_err(|_| unreadable())
        } else {
            Err(serde_json::from_str(&text).unwrap_or_else(|_| unreadable()))
        }
    }

    /// Returns all values of a name. A checkbox has an empty value and, if it is checked, its own.
    pub fn text_of(fields: &FormData, name: &str) -> String {
        String::from(fields.get_all(name).join("\u{1f}"))
    }

    /// Sets every control to its value in the page model, or to the one that the user typed since the form was sent.
    /// Rendering sets only the initial value, which a browser ignores after the user typed.
    pub fn set_control_values(page: &LaunchPageModel, changed_value: &dyn Fn(&str) -> Option<String>) {
        page.each_field(&mut |field| {
            let (id, own) = (&field.id, changed_value(&field.name));
            match &field.control {
                Control::TextLine { value, .. } | Control::TextArea { value, .. } | Control::Select { value, .. } => {
                    set_value(id, own.as_deref().unwrap_or(value));
                }
                Control::Checkbox { checked, .. } => {
                    if let Some(input) = element::<HtmlInputElement>(id) {
                        input.set_checked(own.map_or(*checked, |own| own.contains('\u{1f}')));
                    }
                }
                Control::File { .. } | Control::Hidden { .. } => {}
            }
        });
    }

    fn has_changes(page: &LaunchPageModel, changed_value: &dyn Fn(&str) -> Option<String>) -> bool {
        let mut changed = false;
        page.each_field(&mut |field| {
            changed |= !matches!(field.control, Control::File { .. }) && changed_value(&field.name).is_some();
        });
        changed
    }

    fn has_chosen_file(page: &LaunchPageModel) -> bool {
        let mut pointer_down = false;
        page.each_field(&mut |field| {
            let chosen = || element::<HtmlInputElement>(&field.id).is_some_and(|input| !input.value().is_empty());
            pointer_down |= matches!(field.control, Control::File { .. }) && chosen();
        });
        pointer_down
    }

    fn open_fold_ids() -> Vec<String> {
        let folds = document().get_elements_by_class_name("fold");
        let all = (0..folds.length()).filter_map(|i| folds.item(i));
        all.filter(|fold| fold.has_attribute("open")).map(|fold: Element| fold.id()).collect()
    }

    pub fn set_value(id: &str, value: &str) {
        let Some(found) = document().get_element_by_id(id) else { return };
        if let Some(input) = found.dyn_ref::<HtmlInputElement>() {
            if input.value() != value {
                input.set_value(value);
            }
        } else if let Some(area) = found.dyn_ref::<HtmlTextAreaElement>() {
            if area.value() != value {
                area.set_value(value);
            }
        } else if let Some(select) = found.dyn_ref::<HtmlSelectElement>() {
            select.set_value(value);
        }
    }

    fn element<T: JsCast>(id: &str) -> Option<T> {
        document().get_element_by_id(id)?.dyn_into().ok()
    }

    fn focus_element(id: &str) {
        if let Some(element) = element::<HtmlElement>(id) {
            let _ = element.focus();
            element.scroll_into_view();
        }
    }
}
