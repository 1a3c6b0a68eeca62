//! How the frame and the list look: theme, rail and columns. Kept in cookies, so that the server renders them and nothing
//! flickers.

#[cfg(feature = "ssr")]
use crate::model::Column;

pub const THEME_COOKIE: &str = "runlens_theme";
pub const RAIL_COOKIE: &str = "runlens_rail";
pub const COLUMNS_COOKIE: &str = "runlens_columns";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the operating system says.
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

/// What the request's cookies say about the frame.
#[cfg(feature = "ssr")]
pub fn from_request() -> (Theme, Rail) {
    let value = |name| cookie(name).unwrap_or_default();
    (Theme::parse(&value(THEME_COOKIE)), Rail::parse(&value(RAIL_COOKIE)))
}

/// The columns that somebody chose for the list.
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
