//! A masked text with code in backticks.

use app::components::code_words;
use leptos::prelude::*;

use crate::masking::masked;

#[component]
pub fn CodeWords(text: String) -> impl IntoView {
    view! { <code_words::CodeWords text=masked(&text).into_owned() /> }
}
