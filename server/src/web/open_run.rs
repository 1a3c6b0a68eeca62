//! `GET /open-run?id=`: leads from the form to the page of the run, which says so where there is none.

use axum::extract::Query;
use axum::response::Redirect;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use protocol::ids;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    id: String,
}

pub async fn open_run(Query(wanted): Query<Wanted>) -> Redirect {
    match wanted.id.trim() {
        "" => Redirect::to("/runs"),
        id if ids::is_path_id(id) => Redirect::to(&format!("/runs/{id}")),
        id => Redirect::to(&format!("/runs/{}", utf8_percent_encode(id, NON_ALPHANUMERIC))),
    }
}
