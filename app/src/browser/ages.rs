//! Keeps the ages on a page counting, and the times that are left.

use leptos::prelude::*;

/// Updates ages every second while the component is mounted. `data-age` is the age in seconds when the element was
/// rendered. The start time by the browser's clock is stored in `data-since`, so that the age stays correct after the
/// tab was suspended. An element with `data-left` counts down instead, to the time in `data-until`.
pub fn count_ages() {
    Effect::new(move |_| {
        count();
        if let Ok(interval) = set_interval_with_handle(count, std::time::Duration::from_secs(1)) {
            on_cleanup(move || interval.clear());
        }
    });
}

#[cfg(feature = "hydrate")]
fn count() {
    let now = (web_sys::js_sys::Date::now() / 1000.0) as u64;
    let ages = document().get_elements_by_class_name("counted");
    for element in (0..ages.length()).filter_map(|at| ages.item(at)) {
        let number = |name: &str| element.get_attribute(name).and_then(|text| text.parse::<u64>().ok());
        let stored = |name: &str, at: u64| {
            number(name).unwrap_or_else(|| {
                let _ = element.set_attribute(name, &at.to_string());
                at
            })
        };
        let seconds = match number("data-left") {
            Some(left) => stored("data-until", now + left).saturating_sub(now),
            None => now.saturating_sub(stored("data-since", now.saturating_sub(number("data-age").unwrap_or(0)))),
        };
        element.set_text_content(Some(&crate::format::age(seconds)));
    }
}

#[cfg(not(feature = "hydrate"))]
fn count() {}
