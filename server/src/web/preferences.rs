//! `POST /preferences`: stores theme, rail, columns, row height and time zone in cookies. Works without JavaScript.

use app::model::Column;
use app::preferences::{COLUMNS_COOKIE, RAIL_COOKIE, ROWS_COOKIE, Rail, RowHeight, THEME_COOKIE, Theme, ZONE_COOKIE};
use app::zone::TimeZone;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use axum::{Extension, Form};

use super::form_notice::{NoticeStore, form_page, reject};
use super::local_path::local_path;
use super::problem::Problem;
use crate::auth::Caller;

/// The longest name that an error repeats.
const MAX_NAME_CHARS: usize = 60;

/// The form has one `column` field for each chosen column, and `columns` when the choice is part of the form.
pub async fn set_preferences(
    Extension(notices): Extension<NoticeStore>,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
    Form(fields): Form<Vec<(String, String)>>,
) -> Response {
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
    let zone = match field("zone").map(time_zone).transpose() {
        Ok(zone) => zone.map(|zone| cookie(ZONE_COOKIE, zone.name())),
        Err(message) if caller.is_some() => return reject(&notices, &headers, &message).await,
        // Nothing is stored for clients that are not signed in.
        Err(message) => {
            let from = form_page(&headers);
            return Problem::rejected_form(StatusCode::BAD_REQUEST, &message, &from, Vec::new()).into_response();
        }
    };
    let cookies = [theme, rail, rows, columns, zone].into_iter().flatten().map(|cookie| (SET_COOKIE, cookie));
    let cookies: Vec<_> = cookies.collect();
    (AppendHeaders(cookies), Redirect::to(&local_path(field("return_to")))).into_response()
}

fn time_zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::parse(name).ok_or_else(|| {
        let name: String = name.chars().take(MAX_NAME_CHARS).collect();
        format!("“{name}” is not a known time zone. Use UTC or a name such as Europe/Vienna. Nothing was changed.")
    })
}

fn cookie(name: &str, value: &str) -> String {
    format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax")
}
