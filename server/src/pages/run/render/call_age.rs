//! The age of a waiting call, as of when the page was made. The browser counts on where scripts run.

use leptos::prelude::*;

use super::html;
use crate::format;
use crate::run::CallAge;

/// Beside the call's reply box.
pub fn call_age(age: CallAge) -> String {
    html(view! { {words(age)}"." })
}

/// In the banner, which has room to say why it may be more.
pub fn banner_age(age: CallAge) -> AnyView {
    let why = age.at_least.then_some(": it was in the log already when this server first read it");
    view! { <p class="age">{words(age)}{why}"."</p> }.into_any()
}

fn words(age: CallAge) -> AnyView {
    let before = if age.at_least { "Called at least " } else { "Called " };
    let length = format!("PT{}S", age.seconds);
    view! { {before}<time class="counted" datetime=length data-age=age.seconds.to_string()>{format::age(age.seconds)}</time>" ago" }
        .into_any()
}
