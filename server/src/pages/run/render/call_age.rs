//! The age of a waiting call when the page was built. Scripts keep it counting.

use leptos::prelude::*;

use super::html;
use crate::pages::run::waiting::CallAge;
use app::format;

/// The age beside the reply box.
pub fn call_age(age: CallAge) -> String {
    html(view! { "Waiting "{words(age)}"." })
}

/// The age after the finding's title, which says what the run is waiting for.
pub fn banner_age(age: CallAge) -> AnyView {
    view! { <span class="age">"· "{words(age)}</span> }.into_any()
}

fn words(age: CallAge) -> AnyView {
    let before = age.at_least.then_some("at least ");
    let length = format!("PT{}S", age.seconds);
    view! { {before}<time class="counted" datetime=length data-age=age.seconds.to_string()>{format::age(age.seconds)}</time> }
        .into_any()
}
