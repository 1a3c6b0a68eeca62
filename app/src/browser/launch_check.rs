//! The launch form checked in the browser as somebody types: the server's own rules, in a file that is loaded after the page.

use std::cell::RefCell;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::launch::{LaunchDesk, browser};
use crate::launch::sheet::{Control, LaunchPage};
use crate::launch::work::{Work, typed};

/// Without the code, the server's answer tells the same a moment later.
pub fn load_soon() {
    spawn_local(async {
        let _ = load().await;
    });
}

pub fn check_soon(desk: LaunchDesk) {
    spawn_local(async move {
        let _ = check(desk).await;
    });
}

#[wasm_split(launch_check, preload(load), fallible)]
fn check(desk: LaunchDesk) -> Result<(), SplitLoaderError> {
    let found =
        desk.sheet.try_with_untracked(|page| with_work(&page.work, |work| typed::check(page, work, &written(page))));
    if let Some(Some(found)) = found
        && desk.since.try_with_untracked(|since| *since != found) == Some(true)
    {
        desk.since.set(found);
    }
    Ok(())
}

/// What the page's work says, read once for each page: it may carry files.
fn with_work<T>(text: &str, use_it: impl FnOnce(&Work) -> T) -> Option<T> {
    thread_local! {
        static READ: RefCell<(String, Work)> = RefCell::default();
    }
    READ.with_borrow_mut(|(of, work)| {
        if of != text {
            (*of, *work) = (text.to_owned(), serde_json::from_str(text).ok()?);
        }
        Some(use_it(work))
    })
}

/// What the form would send, but for files.
fn written(page: &LaunchPage) -> Vec<(String, String)> {
    let Some(form) = browser::written() else { return Vec::new() };
    let mut fields = Vec::new();
    let mut add = |name: &str| {
        let text = browser::text_of(&form, name);
        // A tick is an empty text and, where it is ticked, its value.
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
