//! Links between a run, its relaunches and the runs that failed like it.

use crate::masking::shown;
use app::format::{grouped, short_id};
use domain::url::encode_segment;
use leptos::prelude::*;

use super::html;

/// The failure group of a run: id, title, and number of runs.
pub type GroupName = (String, String, u64);

pub fn related_runs(origin: Option<&str>, relaunches: &[String], group: Option<GroupName>) -> String {
    let link = |id: &str| view! { <a href=format!("/runs/{id}")>{short_id(id)}</a> " " };
    let from = origin.map(|id| view! { <span>"Relaunched from " {link(id)}</span> });
    let to = (!relaunches.is_empty()).then(|| {
        let links = relaunches.iter().map(|id| link(id)).collect_view();
        view! { <span>"Relaunched as " {links}</span> }
    });
    let group = group.map(|(id, title, runs)| {
        let count = if runs == 1 { "1 run".to_owned() } else { format!("{} runs", grouped(runs)) };
        let href = format!("/failures/{}", encode_segment(&id));
        view! { <span>"Failure group " <a href=href>{shown(&title).into_owned()}</a> {format!(" · {count}")}</span> }
    });
    match (&from, &to, &group) {
        (None, None, None) => String::new(),
        _ => html(view! { <p class="relaunches hint">{group}{from}{to}</p> }),
    }
}
