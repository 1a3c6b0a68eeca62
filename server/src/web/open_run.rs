//! `GET /open-run?id=`: leads from the form to the page of the run, which says so where there is none.

use axum::extract::Query;
use axum::response::Redirect;
use domain::url::encode_segment;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    id: String,
}

pub async fn open_run(Query(wanted): Query<Wanted>) -> Redirect {
    match wanted.id.trim() {
        "" => Redirect::to("/runs"),
        id => Redirect::to(&format!("/runs/{}", encode_segment(id))),
    }
}
