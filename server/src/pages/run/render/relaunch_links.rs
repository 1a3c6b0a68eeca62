//! Links between a run and its relaunches.

use app::format::short_id;
use leptos::prelude::*;

use super::html;

pub fn relaunch_links(origin: Option<&str>, relaunches: &[String]) -> String {
    let link = |id: &str| view! { <a href=format!("/runs/{id}")>{short_id(id)}</a> " " };
    let from = origin.map(|id| view! { <span>"Relaunched from " {link(id)}</span> });
    let to = (!relaunches.is_empty()).then(|| {
        let links = relaunches.iter().map(|id| link(id)).collect_view();
        view! { <span>"Relaunched as " {links}</span> }
    });
    match (&from, &to) {
        (None, None) => String::new(),
        _ => html(view! { <p class="relaunches">{from}{to}</p> }),
    }
}
