//! `POST /preferences`: stores theme, rail, columns and row height in cookies. Works without JavaScript.

use app::model::Column;
use app::preferences::{COLUMNS_COOKIE, RAIL_COOKIE, ROWS_COOKIE, Rail, RowHeight, THEME_COOKIE, Theme};
use axum::Form;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect};

use super::local_path::local_path;

/// The form has one `column` field for each chosen column, and `columns` when the choice is part of the form.
pub async fn set_preferences(Form(fields): Form<Vec<(String, String)>>) -> impl IntoResponse {
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let theme = field("theme").map(|word| cookie(THEME_COOKIE, Theme::parse(word).as_str()));
    let rail = field("rail").map(|word| cookie(RAIL_COOKIE, Rail::parse(word).as_str()));
    let rows = field("rows").map(|word| cookie(ROWS_COOKIE, RowHeight::parse(word).as_str()));
    let columns = field("columns").map(|_| {
        let chosen: Vec<&str> =
            fields.iter().filter(|(key, _)| key == "column").map(|(_, name)| name.as_str()).collect();
        let known: Vec<&str> = Column::parse_choice(&chosen.join(".")).into_iter().map(Column::as_str).collect();
        cookie(COLUMNS_COOKIE, if known.is_empty() { "none".to_owned() } else { known.join(".") }.as_str())
    });
    let cookies = [theme, rail, rows, columns].into_iter().flatten().map(|cookie| (SET_COOKIE, cookie));
    let cookies: Vec<_> = cookies.collect();
    (AppendHeaders(cookies), Redirect::to(&local_path(field("return_to"))))
}

fn cookie(name: &str, value: &str) -> String {
    format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax")
}
