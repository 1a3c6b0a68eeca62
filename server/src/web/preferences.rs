//! `POST /preferences`: theme and rail, kept in a cookie that pages are rendered by. Works without JavaScript.

use axum::Form;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect};
use serde::Deserialize;

use app::preferences::{RAIL_COOKIE, Rail, THEME_COOKIE, Theme};

use super::local_path::local_path;

#[derive(Deserialize)]
pub struct Choice {
    theme: Option<String>,
    rail: Option<String>,
    return_to: Option<String>,
}

pub async fn set_preferences(Form(choice): Form<Choice>) -> impl IntoResponse {
    let theme = choice.theme.map(|word| cookie(THEME_COOKIE, Theme::parse(&word).as_str()));
    let rail = choice.rail.map(|word| cookie(RAIL_COOKIE, Rail::parse(&word).as_str()));
    let cookies: Vec<_> = theme.into_iter().chain(rail).map(|cookie| (SET_COOKIE, cookie)).collect();
    (AppendHeaders(cookies), Redirect::to(&local_path(choice.return_to.as_deref())))
}

fn cookie(name: &str, value: &str) -> String {
    format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax")
}
