//! A point in time: relative, with the exact time on hover. It changes as time passes.

use leptos::prelude::*;

use crate::browser::ticking;
use crate::format;
use crate::zone::exact_time;

#[component]
pub fn RelativeTime(at_ms: i64, now_ms: i64) -> impl IntoView {
    let (utc, exact) = (format::timestamp(at_ms), exact_time(at_ms));
    let datetime = format!("{}T{}Z", &utc[..10], &utc[11..19]);
    let now_ms = ticking(now_ms);
    view! { <time datetime=datetime title=exact>{move || format::relative(at_ms, now_ms())}</time> }
}
