//! How the frame looks: theme and rail. Kept in cookies, so that the server renders them and nothing flickers.

pub const THEME_COOKIE: &str = "runlens_theme";
pub const RAIL_COOKIE: &str = "runlens_rail";

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

/// What the request's cookies say.
#[cfg(feature = "ssr")]
pub fn from_request() -> (Theme, Rail) {
    let parts = leptos::prelude::use_context::<http::request::Parts>();
    let cookies = parts.as_ref().and_then(|parts| parts.headers.get(http::header::COOKIE)?.to_str().ok()).unwrap_or("");
    let value = |name: &str| {
        let pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    };
    (Theme::parse(value(THEME_COOKIE)), Rail::parse(value(RAIL_COOKIE)))
}
