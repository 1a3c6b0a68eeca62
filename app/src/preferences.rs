//! Display preferences: theme, rail and columns. They are stored in cookies, so that the server renders them and the
//! page doesn't flicker.

#[cfg(feature = "ssr")]
use crate::model::Column;

pub const THEME_COOKIE: &str = "runlens_theme";
pub const RAIL_COOKIE: &str = "runlens_rail";
pub const COLUMNS_COOKIE: &str = "runlens_columns";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follows the operating system.
    #[default]
    System,
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rail {
    #[default]
    Wide,
    Narrow,
}

impl Theme {
    pub fn parse(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Rail {
    pub fn parse(word: &str) -> Self {
        match word {
            "narrow" => Self::Narrow,
            _ => Self::Wide,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }
}

/// Reads the theme and the rail from the request's cookies.
#[cfg(feature = "ssr")]
pub fn from_request() -> (Theme, Rail) {
    let value = |name| cookie(name).unwrap_or_default();
    (Theme::parse(&value(THEME_COOKIE)), Rail::parse(&value(RAIL_COOKIE)))
}

/// Reads the columns that the viewer chose, if any.
#[cfg(feature = "ssr")]
pub fn columns_from_request() -> Option<Vec<Column>> {
    cookie(COLUMNS_COOKIE).map(|text| Column::parse_choice(&text))
}

#[cfg(feature = "ssr")]
fn cookie(name: &str) -> Option<String> {
    let parts = leptos::prelude::use_context::<http::request::Parts>()?;
    let cookies = parts.headers.get(http::header::COOKIE)?.to_str().ok()?;
    let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}
