//! The launch form in a browser: sent in the background, and its answer drawn in place.
//!
//! What somebody types is theirs: an answer that was asked for before the last key is dropped, and the control that is
//! being written in is left alone.

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::launch::sheet::LaunchPage;

/// How long after the last change the form is sent to be checked and kept.
const PAUSE: Duration = Duration::from_millis(400);

#[derive(Clone, Copy)]
pub struct LaunchDesk {
    pub sheet: RwSignal<LaunchPage>,
    pub status: RwSignal<&'static str>,
    /// Counts changes and presses, so that late answers are known.
    moves: StoredValue<u64>,
    /// Opens another page, in a browser.
    #[cfg_attr(not(feature = "hydrate"), allow(dead_code))]
    open: Callback<String>,
}

pub fn launch_desk(page: LaunchPage) -> LaunchDesk {
    let navigate = leptos_router::hooks::use_navigate();
    let open = Callback::new(move |href: String| navigate(&href, Default::default()));
    LaunchDesk { sheet: RwSignal::new(page), status: RwSignal::new(""), moves: StoredValue::new(0), open }
}

impl LaunchDesk {
    /// A button was pressed.
    pub fn submit(self, event: SubmitEvent) {
        event.prevent_default();
        self.moved();
        self.status.set("Working…");
        #[cfg(feature = "hydrate")]
        if let Some(fields) = browser::pressed(&event) {
            browser::send(self, fields, None);
        }
    }

    /// Something was written: checked after a pause.
    pub fn changed(self) {
        let now = self.moved();
        let send = move || {
            if self.moves.try_get_value() == Some(now) {
                #[cfg(feature = "hydrate")]
                if let Some(fields) = browser::written() {
                    browser::send(self, fields, Some(now));
                }
            }
        };
        set_timeout(send, PAUSE);
    }

    /// Lets every control show what the page says, whatever was written in it.
    pub fn settle_when_drawn(self) {
        #[cfg(feature = "hydrate")]
        request_animation_frame(move || {
            let _ = self.sheet.try_with_untracked(|page| browser::settle(page, false));
        });
    }

    fn moved(self) -> u64 {
        self.moves.update_value(|moves| *moves += 1);
        self.moves.get_value()
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use gloo_net::http::Request;
    use leptos::task::spawn_local;
    use wasm_bindgen::JsCast;
    use web_sys::{FormData, HtmlButtonElement, HtmlElement, HtmlFormElement, HtmlInputElement, HtmlTextAreaElement};

    use super::*;
    use crate::AppError;
    use crate::launch::sheet::{Control, Item, LaunchAnswer};
    use crate::wire::Wire;

    pub fn pressed(event: &SubmitEvent) -> Option<FormData> {
        let data = written()?;
        let button: HtmlButtonElement = event.submitter()?.dyn_into().ok()?;
        data.append_with_str("do", &button.value()).ok()?;
        Some(data)
    }

    pub fn written() -> Option<FormData> {
        let form: HtmlFormElement = document().get_element_by_id("launch")?.dyn_into().ok()?;
        FormData::new_with_form(&form).ok()
    }

    /// `only_at`: the answer counts only if nothing was changed since.
    pub fn send(desk: LaunchDesk, fields: FormData, only_at: Option<u64>) {
        spawn_local(async move {
            let answer = post(fields).await;
            let late = only_at.is_some() && desk.moves.try_get_value() != only_at;
            if late || desk.moves.try_get_value().is_none() {
                return;
            }
            desk.status.set("");
            match answer {
                Ok(LaunchAnswer::Done { href }) => desk.open.run(href),
                Ok(LaunchAnswer::Page { page }) => {
                    if only_at.is_some() {
                        desk.status.set("Draft kept.");
                    }
                    let focus = page.focus.clone();
                    desk.sheet.set(*page);
                    // After it is drawn.
                    request_animation_frame(move || {
                        desk.sheet.with_untracked(|page| settle(page, only_at.is_some()));
                        if let Some(id) = focus {
                            go_to(&id);
                        }
                    });
                }
                Err(AppError::SignedOut) => {
                    desk.status.set("You are signed out. Open the page again: your draft is kept.");
                }
                Err(_) => desk.status.set("The server could not be reached. Nothing was launched; try again."),
            }
        });
    }

    async fn post(fields: FormData) -> Result<LaunchAnswer, AppError> {
        let failed = |error: gloo_net::Error| AppError::Transport { message: error.to_string() };
        let request = Request::post("/launch").header("Accept", "application/json").body(fields).map_err(failed)?;
        let answer = request.send().await.map_err(failed)?;
        let (ok, text) = (answer.ok(), answer.text().await.map_err(failed)?);
        let unreadable = || AppError::Transport { message: format!("status {}", answer.status()) };
        if ok {
            serde_json::from_str::<Wire<LaunchAnswer>>(&text).map(|answer| answer.0).map_err(|_| unreadable())
        } else {
            Err(serde_json::from_str(&text).unwrap_or_else(|_| unreadable()))
        }
    }

    /// Gives every control the value that the page says. Drawing sets what a control begins with, which does not count any
    /// more once somebody has written in it.
    pub fn settle(page: &LaunchPage, leave_active: bool) {
        let active = document().active_element().filter(|_| leave_active).map(|element| element.id());
        set_value("json", &page.json, active.as_deref());
        for section in &page.sections {
            settle_items(&section.items, active.as_deref());
        }
        settle_items(&page.mode, active.as_deref());
        settle_items(&page.finish, active.as_deref());
    }

    fn settle_items(items: &[Item], active: Option<&str>) {
        for item in items {
            match item {
                Item::Group { items, .. } | Item::Row { items } | Item::Fold { items, .. } => {
                    settle_items(items, active)
                }
                Item::Field(field) => match &field.control {
                    Control::Line { value, .. } | Control::Area { value, .. } | Control::Select { value, .. } => {
                        set_value(&field.id, value, active);
                    }
                    Control::Tick { ticked, .. } => {
                        if let Some(input) = element::<HtmlInputElement>(&field.id) {
                            input.set_checked(*ticked);
                        }
                    }
                    Control::File { .. } if active.is_none() => set_value(&field.id, "", None),
                    Control::File { .. } | Control::Hidden { .. } => {}
                },
                Item::Note { .. } | Item::Facts { .. } | Item::Buttons { .. } | Item::Choices { .. } => {}
            }
        }
    }

    fn set_value(id: &str, value: &str, active: Option<&str>) {
        if active == Some(id) {
            return;
        }
        let Some(found) = document().get_element_by_id(id) else { return };
        if let Some(input) = found.dyn_ref::<HtmlInputElement>() {
            if input.value() != value {
                input.set_value(value);
            }
        } else if let Some(area) = found.dyn_ref::<HtmlTextAreaElement>() {
            if area.value() != value {
                area.set_value(value);
            }
        } else if let Some(select) = found.dyn_ref::<web_sys::HtmlSelectElement>() {
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
