//! Display preferences: theme, rail, columns, row height and time zone. They are stored in cookies, so that the server
//! renders them and the page doesn't flicker.

use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::model::Column;
#[cfg(feature = "ssr")]
use crate::zone::TimeZone;

pub const THEME_COOKIE: &str = "runlens_theme";
pub const RAIL_COOKIE: &str = "runlens_rail";
pub const COLUMNS_COOKIE: &str = "runlens_columns";
pub const ROWS_COOKIE: &str = "runlens_rows";
pub const ZONE_COOKIE: &str = "runlens_zone";

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

/// The height of the rows of a list on wide screens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowHeight {
    /// One line.
    #[default]
    Compact,
    /// Two lines.
    Comfortable,
}

/// How the viewer wants the list of runs to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg(feature = "ssr")]
pub struct ListPreferences {
    /// The chosen columns, if any were chosen.
    pub columns: Option<Vec<Column>>,
    pub rows: RowHeight,
    /// Of the times in charts.
    pub zone: TimeZone,
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

impl RowHeight {
    pub const ALL: [Self; 2] = [Self::Compact, Self::Comfortable];

    pub fn parse(word: &str) -> Self {
        match word {
            "comfortable" => Self::Comfortable,
            _ => Self::Compact,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Comfortable => "comfortable",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Compact => "Compact",
            Self::Comfortable => "Comfortable",
        }
    }
}

/// Reads the theme and the rail from the request's cookies.
#[cfg(feature = "ssr")]
pub fn from_request() -> (Theme, Rail) {
    let value = |name| cookie(name).unwrap_or_default();
    (Theme::parse(&value(THEME_COOKIE)), Rail::parse(&value(RAIL_COOKIE)))
}

#[cfg(feature = "ssr")]
pub fn list_from_request() -> ListPreferences {
    ListPreferences {
        columns: cookie(COLUMNS_COOKIE).map(|text| Column::parse_choice(&text)),
        rows: RowHeight::parse(&cookie(ROWS_COOKIE).unwrap_or_default()),
        zone: zone_from_request(),
    }
}

#[cfg(feature = "ssr")]
pub fn zone_from_request() -> TimeZone {
    cookie(ZONE_COOKIE).and_then(|name| TimeZone::parse(&name)).unwrap_or_default()
}

#[cfg(feature = "ssr")]
fn cookie(name: &str) -> Option<String> {
    let parts = leptos::prelude::use_context::<http::request::Parts>()?;
    let cookies = parts.headers.get(http::header::COOKIE)?.to_str().ok()?;
    let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}
