//! Checks the launch form while the user types, with the server's rules. The code is loaded after the page.

use std::cell::RefCell;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::fields::SPEC_FIELDS;
use wasm_bindgen::JsValue;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::js_sys::Array;

use super::launch::browser::{LaunchForm, element, elements, form_fields};
use super::update_html::{parse, update_content};
use crate::launch::ControlName;
use crate::launch::draft::{LaunchDraft, client_check};
use crate::model::launch::{Findings, PageControl};

/// If the code can't be loaded, the server's response shows the same errors a little later.
pub fn preload() {
    spawn_local(async {
        let _ = load().await;
    });
}

pub fn check_later(form: LaunchForm) {
    spawn_local(async move {
        let _ = check(form).await;
    });
}

#[wasm_split(launch_check, preload(load), fallible)]
fn check(form: LaunchForm) -> Result<(), SplitLoaderError> {
    let controls: Vec<PageControl> = controls();
    let found = form.page.try_with_value(|page| {
        with_draft(|draft| client_check::check(&controls, &page.problems, draft, &sent_fields(), SPEC_FIELDS))
    });
    if let Some(found) = found.flatten() {
        show(&controls, &found);
    }
    Ok(())
}

fn controls() -> Vec<PageControl> {
    let control = |element: web_sys::Element| {
        let name = ControlName::parse(&element.get_attribute("name")?)?;
        Some(PageControl { id: element.id(), name, server_error: element.get_attribute("data-server-error") })
    };
    elements("#launch [name][aria-describedby]").filter_map(control).collect()
}

/// Parses the draft once: it may contain files.
fn with_draft<T>(read: impl FnOnce(&LaunchDraft) -> T) -> Option<T> {
    thread_local! {
        static PARSED: RefCell<(String, LaunchDraft)> = RefCell::default();
    }
    let text = elements("#launch > [name=draft]").next()?.get_attribute("value")?;
    PARSED.with_borrow_mut(|(source, draft)| {
        if *source != text {
            (*draft, *source) = (serde_json::from_str(&text).ok()?, text);
        }
        Some(read(draft))
    })
}

/// Returns the fields that the form would send, without files and without the draft.
fn sent_fields() -> Vec<(String, String)> {
    let field = |entry: Result<JsValue, JsValue>| {
        let entry = Array::from(&entry.ok()?);
        let name = entry.get(0).as_string().filter(|name| name != "draft")?;
        Some((name, entry.get(1).as_string()?))
    };
    form_fields().map(|form| form.entries()).into_iter().flatten().filter_map(field).collect()
}

fn show(controls: &[PageControl], found: &Findings) {
    for PageControl { id, .. } in controls {
        let (Some(control), Some(note)) = (element(id), element(&format!("{id}-note"))) else { continue };
        let error = found.errors.get(id);
        let text = error.cloned().or_else(|| note.get_attribute("data-help")).unwrap_or_default();
        if note.text_content().as_deref() != Some(text.as_str()) {
            note.set_text_content(Some(&text));
        }
        note.set_class_name(if error.is_some() { "field-error" } else { "hint" });
        let _ = note.toggle_attribute_with_force("hidden", text.is_empty());
        let _ = match error {
            Some(_) => control.set_attribute("aria-invalid", "true"),
            None => control.remove_attribute("aria-invalid"),
        };
    }
    for (id, html) in [("problems", found.problems_html()), ("json-problem", found.json_problem_html())] {
        if let (Some(shown), Some(fresh)) = (element(id), parse(&html)) {
            let _ = shown.toggle_attribute_with_force("hidden", html.is_empty());
            update_content(&shown, &fresh);
        }
    }
}
