//! The age of a waiting call when the page was built. Scripts keep it counting.

use leptos::prelude::*;

use super::html;
use crate::pages::run::waiting::CallAge;
use app::format;

/// The age beside the reply box.
pub fn call_age(age: CallAge) -> String {
    html(view! { {words(age)}"." })
}

/// The age in the banner, which also says why it may be more.
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
