//! The launch form in a browser: sent in the background, and its answer drawn in place.
//!
//! What is wrong with what somebody types is told at once, by code that is loaded for it when the page is there
//! (`launch_check.rs`); the server is asked after a pause, keeps the draft, and has the last word.
//!
//! What somebody writes is theirs: what was changed after the form was sent stays as it is when the answer comes, and is
//! sent again. What they unfolded stays open.

use std::time::Duration;

use leptos::ev::{self, PointerEvent, SubmitEvent};
use leptos::prelude::*;

use crate::launch::sheet::{LaunchPage, Since};

/// How long after the last change the form is sent to be checked and kept.
const PAUSE: Duration = Duration::from_millis(250);

#[derive(Clone, Copy)]
pub struct LaunchDesk {
    pub sheet: RwSignal<LaunchPage>,
    /// What the browser found since the page was drawn.
    pub since: RwSignal<Since>,
    pub status: RwSignal<String>,
    /// Whoever wrote this is not signed in any more; the server keeps what is sent for their next sign-in.
    pub signed_out: RwSignal<bool>,
    /// Counts changes, so that a pause is known.
    moves: StoredValue<u64>,
    /// Counts what was sent: of several answers the last one counts.
    #[cfg_attr(not(feature = "hydrate"), allow(dead_code))]
    requests: StoredValue<u64>,
    /// A button's answer is awaited; what is written meanwhile is sent after it.
    pressed: StoredValue<bool>,
    /// A button of the pointer is down: whatever is drawn now would take away what it is about to click.
    held: StoredValue<bool>,
    /// Something was written, or an answer came, while it was down.
    put_off: StoredValue<bool>,
    /// Opens another page, in a browser.
    #[cfg_attr(not(feature = "hydrate"), allow(dead_code))]
    open: Callback<String>,
}

pub fn launch_desk(page: LaunchPage) -> LaunchDesk {
    let navigate = leptos_router::hooks::use_navigate();
    LaunchDesk {
        sheet: RwSignal::new(page),
        since: RwSignal::default(),
        status: RwSignal::default(),
        signed_out: RwSignal::new(false),
        moves: StoredValue::new(0),
        requests: StoredValue::new(0),
        pressed: StoredValue::new(false),
        held: StoredValue::new(false),
        put_off: StoredValue::new(false),
        open: Callback::new(move |href: String| navigate(&href, Default::default())),
    }
}

impl LaunchDesk {
    /// A button was pressed.
    pub fn submit(self, event: SubmitEvent) {
        event.prevent_default();
        self.status.set("Working…".to_owned());
        self.pressed.set_value(true);
        // What was written before goes along; sent once more after a pause, it would take away what the button's answer says.
        self.moves.update_value(|moves| *moves += 1);
        self.put_off.set_value(false);
        #[cfg(feature = "hydrate")]
        if let Some(fields) = browser::pressed(&event) {
            browser::send(self, fields, true);
        }
    }

    /// Something was written: checked here, and after a pause by the server.
    pub fn changed(self) {
        if self.held.get_value() {
            return self.put_off.set_value(true);
        }
        #[cfg(feature = "hydrate")]
        super::launch_check::check_soon(self);
        self.moves.update_value(|moves| *moves += 1);
        let now = self.moves.get_value();
        let send = move || {
            let paused = self.moves.try_get_value() == Some(now);
            if paused && self.pressed.try_get_value() == Some(false) {
                #[cfg(feature = "hydrate")]
                if let Some(fields) = browser::written() {
                    browser::send(self, fields, false);
                }
            }
        };
        set_timeout(send, PAUSE);
    }

    /// The pointer goes down. Only on a button: the list of a choice may take its coming up for itself.
    #[cfg_attr(not(feature = "hydrate"), allow(unused_variables))]
    pub fn hold(self, event: &PointerEvent) {
        #[cfg(feature = "hydrate")]
        self.held.set_value(browser::is_on_button(event));
    }

    /// Wherever the pointer comes up, its click is over then, and what was put off is done.
    pub fn mind_release(self) {
        Effect::new(move |_| {
            let release = move || {
                if self.held.try_update_value(std::mem::take) == Some(true)
                    && self.put_off.try_update_value(std::mem::take) == Some(true)
                {
                    self.changed();
                }
            };
            // The click itself comes after this event.
            let up = window_event_listener(ev::pointerup, move |_| set_timeout(release, Duration::ZERO));
            let cancelled = window_event_listener(ev::pointercancel, move |_| release());
            on_cleanup(move || {
                up.remove();
                cancelled.remove();
            });
        });
    }

    /// Loads the code that checks what is typed, once the page itself is there.
    pub fn prepare_checks(self) {
        Effect::new(|_| {
            #[cfg(feature = "hydrate")]
            super::launch_check::load_soon();
        });
    }

    /// Lets every control show what the page says, whatever was written in it.
    pub fn settle_when_drawn(self) {
        #[cfg(feature = "hydrate")]
        request_animation_frame(move || {
            let _ = self.sheet.try_with_untracked(|page| {
                browser::settle(page, &|_| None);
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
    use crate::launch::sheet::{Control, LaunchAnswer};
    use crate::wire::Wire;

    pub fn pressed(event: &SubmitEvent) -> Option<FormData> {
        let data = written()?;
        let button: HtmlButtonElement = event.submitter()?.dyn_into().ok()?;
        data.append_with_str("do", &button.value()).ok()?;
        Some(data)
    }

    pub fn is_on_button(event: &PointerEvent) -> bool {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        target.is_some_and(|target| target.closest("button").is_ok_and(|button| button.is_some()))
    }

    pub fn written() -> Option<FormData> {
        let form: HtmlFormElement = document().get_element_by_id("launch")?.dyn_into().ok()?;
        FormData::new_with_form(&form).ok()
    }

    pub fn send(desk: LaunchDesk, sent: FormData, by_button: bool) {
        desk.requests.update_value(|requests| *requests += 1);
        let ticket = desk.requests.get_value();
        spawn_local(async move {
            let answer = post(&sent).await;
            if desk.requests.try_get_value() != Some(ticket) {
                return;
            }
            desk.pressed.set_value(false);
            desk.status.set(String::new());
            desk.signed_out.set(matches!(answer, Err(AppError::SignedOut)));
            match answer {
                Ok(LaunchAnswer::Done { href }) => desk.open.run(href),
                Ok(LaunchAnswer::Page { page }) => {
                    desk.status.set(page.kept.clone());
                    name_the_draft();
                    // A chosen file would be lost with its control; what is drawn comes with the button that takes it.
                    if !by_button && desk.held.get_value() {
                        desk.put_off.set_value(true);
                    } else if by_button || !desk.sheet.with_untracked(holds_file) {
                        draw(desk, *page, &sent).await;
                    }
                }
                Ok(LaunchAnswer::Foreign { message }) => {
                    desk.signed_out.set(true);
                    desk.status.set(message);
                }
                Err(AppError::SignedOut) => {
                    desk.status.set("You are signed out. Sign in again: what you have written comes back.".to_owned());
                }
                Err(error) => desk.status.set(error.to_string()),
            }
        });
    }

    /// The page is the draft from now on, whatever it began with: that is what a reload should show. The router is not
    /// told, since it would read the page again.
    fn name_the_draft() {
        if window().location().search().is_ok_and(|query| !query.is_empty())
            && let Ok(history) = window().history()
        {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some("/launch"));
        }
    }

    async fn draw(desk: LaunchDesk, page: LaunchPage, sent: &FormData) {
        let Some(now) = written() else { return };
        let value_now = |name: &str| (text_of(&now, name) != text_of(sent, name)).then(|| text_of(&now, name));
        let open = open_folds();
        let active = document().active_element().map(|element| element.id());
        let (focus, json) = (page.focus.clone(), page.json.clone());
        desk.sheet.set(page);
        desk.since.set(Since::default());
        // Until it is drawn; nobody can write anything meanwhile.
        tick().await;
        for id in open {
            if let Some(fold) = document().get_element_by_id(&id) {
                let _ = fold.set_attribute("open", "");
            }
        }
        let keep = |name: &str| value_now(name);
        // The page may have been left meanwhile.
        let Some(changed) = desk.sheet.try_with_untracked(|page| {
            settle(page, &keep);
            changed_anywhere(page, &keep)
        }) else {
            return;
        };
        // Whoever writes JSON goes on in their own way of writing it.
        if active.as_deref() != Some("json") && value_now("json").is_none() {
            set_value("json", &json);
        }
        if changed || value_now("json").is_some() {
            desk.changed();
        }
        if let Some(id) = focus {
            go_to(&id);
        }
    }

    async fn post(fields: &FormData) -> Result<LaunchAnswer, AppError> {
        let failed = |error: gloo_net::Error| AppError::Transport { message: error.to_string() };
        let request = Request::post("/launch").header("Accept", "application/json").body(fields).map_err(failed)?;
        let answer = request.send().await.map_err(failed)?;
        let (ok, text) = (answer.ok(), answer.text().await.map_err(failed)?);
        let unreadable = || match answer.status() {
            413 => AppError::Conflict { message: "The form is too large: files may have 5 MB in all".to_owned() },
            status => AppError::Transport { message: format!("The server answered with status {status}") },
        };
        if ok {
            serde_json::from_str::<Wire<LaunchAnswer>>(&text).map(|answer| answer.0).map_err(|_| unreadable())
        } else {
            Err(serde_json::from_str(&text).unwrap_or_else(|_| unreadable()))
        }
    }

    /// All that a form has under a name: a tick is an empty text and, where it is ticked, its value.
    pub fn text_of(fields: &FormData, name: &str) -> String {
        String::from(fields.get_all(name).join("\u{1f}"))
    }

    /// Gives every control the value that the page says, or the one that was written since it was sent. Drawing sets what a
    /// control begins with, which does not count any more once somebody has written in it.
    pub fn settle(page: &LaunchPage, written_since: &dyn Fn(&str) -> Option<String>) {
        page.each_field(&mut |field| {
            let (id, own) = (&field.id, written_since(&field.name));
            match &field.control {
                Control::Line { value, .. } | Control::Area { value, .. } | Control::Select { value, .. } => {
                    set_value(id, own.as_deref().unwrap_or(value));
                }
                Control::Tick { ticked, .. } => {
                    if let Some(input) = element::<HtmlInputElement>(id) {
                        input.set_checked(own.map_or(*ticked, |own| own.contains('\u{1f}')));
                    }
                }
                Control::File { .. } | Control::Hidden { .. } => {}
            }
        });
    }

    fn changed_anywhere(page: &LaunchPage, written_since: &dyn Fn(&str) -> Option<String>) -> bool {
        let mut changed = false;
        page.each_field(&mut |field| {
            changed |= !matches!(field.control, Control::File { .. }) && written_since(&field.name).is_some();
        });
        changed
    }

    fn holds_file(page: &LaunchPage) -> bool {
        let mut held = false;
        page.each_field(&mut |field| {
            let chosen = || element::<HtmlInputElement>(&field.id).is_some_and(|input| !input.value().is_empty());
            held |= matches!(field.control, Control::File { .. }) && chosen();
        });
        held
    }

    fn open_folds() -> Vec<String> {
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

    fn go_to(id: &str) {
        if let Some(element) = element::<HtmlElement>(id) {
            let _ = element.focus();
            element.scroll_into_view();
        }
    }
}
