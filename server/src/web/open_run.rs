//! `GET /open-run?id=`: redirects from the form to the run's page, which also handles unknown ids.

use axum::extract::Query;
use axum::response::Redirect;
use domain::url::encode_segment;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Params {
    #[serde(default)]
    id: String,
}

pub async fn open_run(Query(params): Query<Params>) -> Redirect {
    match params.id.trim() {
        "" => Redirect::to("/runs"),
        id => Redirect::to(&format!("/runs/{}", encode_segment(id))),
    }
}
