//! `GET /selection?action=&run=&run=`: redirects from the runs selected in the list to what is done with them.

use axum::Extension;
use axum::extract::Query;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::{encode, encode_segment};

use super::form_notice::{NoticeStore, reject};

pub async fn open_selection(
    Extension(notices): Extension<NoticeStore>,
    headers: HeaderMap,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let values =
        |name: &'static str| fields.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str());
    let runs: Vec<&str> = values("run").collect();
    match target(values("action").next().unwrap_or_default(), &runs) {
        Ok(target) => Redirect::to(&target).into_response(),
        Err(message) => reject(&notices, &headers, message).await,
    }
}

fn target(action: &str, runs: &[&str]) -> Result<String, &'static str> {
    match (action, runs) {
        ("compare", [left, right]) => Ok(format!("/compare?left={}&right={}", encode(left), encode(right))),
        ("compare", _) => Err("Select two runs to compare."),
        ("relaunch", [run]) => Ok(format!("/launch?like={}", encode(run))),
        ("relaunch", _) => Err("Select one run to relaunch."),
        ("export", [run]) => Ok(format!("/runs/{}/export", encode_segment(run))),
        ("export", _) => Err("Without JavaScript, runs are exported one by one. Select one run."),
        _ => Err("Select runs in the list first."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_leads_to_the_page_of_its_runs() {
        assert_eq!(target("compare", &["run_a", "run_b"]).as_deref(), Ok("/compare?left=run_a&right=run_b"));
        assert_eq!(target("relaunch", &["run_a"]).as_deref(), Ok("/launch?like=run_a"));
        assert_eq!(target("export", &["run/a"]).as_deref(), Ok("/runs/run%2Fa/export"));
        assert_eq!(target("compare", &["run_a"]), Err("Select two runs to compare."));
        assert!(target("relaunch", &["run_a", "run_b"]).is_err());
    }
}
