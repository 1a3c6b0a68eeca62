//! Checks the launch form while the user types, with the server's rules. The code is loaded after the page.

use std::cell::RefCell;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::fields::SPEC_FIELDS;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::launch::{LaunchFormState, browser};
use crate::launch::draft::{LaunchDraft, client_check};
use crate::model::launch::{Control, LaunchPageModel};

/// If the code can't be loaded, the server's response shows the same errors a little later.
pub fn preload() {
    spawn_local(async {
        let _ = load().await;
    });
}

pub fn check_later(form: LaunchFormState) {
    spawn_local(async move {
        let _ = check(form).await;
    });
}

#[wasm_split(launch_check, preload(load), fallible)]
fn check(form: LaunchFormState) -> Result<(), SplitLoaderError> {
    let found = form.page_model.try_with_untracked(|page| {
        with_draft(&page.draft, |draft| client_check::check(page, draft, &form_fields(page), SPEC_FIELDS))
    });
    if let Some(Some(found)) = found
        && form.findings.try_with_untracked(|findings| *findings != found) == Some(true)
    {
        form.findings.set(found);
    }
    Ok(())
}

/// Parses the draft once for each page model: it may contain files.
fn with_draft<T>(text: &str, read: impl FnOnce(&LaunchDraft) -> T) -> Option<T> {
    thread_local! {
        static PARSED: RefCell<(String, LaunchDraft)> = RefCell::default();
    }
    PARSED.with_borrow_mut(|(source, draft)| {
        if source != text {
            (*source, *draft) = (text.to_owned(), serde_json::from_str(text).ok()?);
        }
        Some(read(draft))
    })
}

/// Returns the fields that the form would send, without files.
fn form_fields(page: &LaunchPageModel) -> Vec<(String, String)> {
    let Some(form) = browser::form_fields() else { return Vec::new() };
    let mut fields = Vec::new();
    let mut add = |name: &str| {
        let text = browser::text_of(&form, name);
        let last = text.rsplit('\u{1f}').next().unwrap_or_default();
        fields.push((name.to_owned(), last.to_owned()));
    };
    add("json");
    page.each_field(&mut |field| {
        if !matches!(field.control, Control::File { .. }) {
            add(&field.name);
        }
    });
    fields
}
