//! The view of a run: everything that its URL says.

use protocol::timeline::Density;
use serde::{Deserialize, Serialize};

use super::zoom::Zoom;
use crate::query_string::QueryString;
use domain::url::encode;

/// The whole state of the page, so that a link, a reload and the back button show the same thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunView {
    pub tab: Tab,
    pub density: Density,
    /// Shows the run as it was at this event.
    pub at: Option<u64>,
    /// The event to scroll to.
    pub focus: Option<u64>,
    /// The first row shown, where a log has more rows than a page.
    pub from: Option<usize>,
    /// Keys of rows that are open.
    pub open: Vec<String>,
    pub find: Find,
    /// Shows texts without Markdown formatting.
    pub raw: bool,
    /// The part of the waterfall's time axis that is shown.
    pub zoom: Option<Zoom>,
}

/// A search inside the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Find {
    pub text: String,
    /// The index of the current match.
    pub hit: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tab {
    #[default]
    Output,
    Tools,
    /// Only for runs that repeated calls.
    Loop,
    Spec,
}

impl Tab {
    /// The Loop tab is last: if it appears during a run, the others stay where they are.
    pub const ALL: [Self; 4] = [Self::Output, Self::Tools, Self::Spec, Self::Loop];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Tools => "tools",
            Self::Loop => "loop",
            Self::Spec => "spec",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Tools => "Tools",
            Self::Loop => "Loop",
            Self::Spec => "Spec",
        }
    }
}

/// The id of the element with the tabs, as URLs name it.
pub const TABS_ID: &str = "side";

/// Open rows in one URL; more are dropped.
const MAX_OPEN: usize = 50;

pub fn density_name(density: Density) -> &'static str {
    match density {
        Density::Conversation => "Conversation",
        Density::Normal => "Steps",
        Density::Waterfall => "Waterfall",
        Density::EveryEvent => "Events",
    }
}

impl RunView {
    /// Parses a URL's query. Invalid values are ignored.
    pub fn from_query(query: &QueryString) -> Self {
        let text = |name: &str| query.get(name).filter(|value| !value.is_empty());
        let number = |name: &str| text(name).and_then(|value| value.parse().ok());
        let open = text("open").unwrap_or_default();
        Self {
            tab: Tab::ALL.into_iter().find(|tab| text("tab").as_deref() == Some(tab.as_str())).unwrap_or_default(),
            density: match text("density").as_deref() {
                Some("conversation") => Density::Conversation,
                Some("waterfall") => Density::Waterfall,
                Some("events") => Density::EveryEvent,
                _ => Density::Normal,
            },
            at: number("at"),
            focus: number("focus"),
            from: text("from").and_then(|value| value.parse().ok()),
            open: open.split(',').filter(|key| !key.is_empty()).take(MAX_OPEN).map(str::to_owned).collect(),
            find: Find {
                text: text("find").unwrap_or_default(),
                hit: text("hit").and_then(|value| value.parse().ok()).unwrap_or(0),
            },
            raw: text("raw").is_some(),
            zoom: text("zoom").and_then(|value| Zoom::parse(&value)),
        }
    }

    /// The query parameters of the URL for this view.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        if self.tab != Tab::default() {
            pairs.push(("tab", self.tab.as_str().to_owned()));
        }
        if let Some(density) = density_word(self.density) {
            pairs.push(("density", density.to_owned()));
        }
        pairs.extend(self.at.map(|at| ("at", at.to_string())));
        pairs.extend(self.from.map(|from| ("from", from.to_string())));
        if !self.open.is_empty() {
            pairs.push(("open", self.open.join(",")));
        }
        if !self.find.text.is_empty() {
            pairs.push(("find", self.find.text.clone()));
            if self.find.hit > 0 {
                pairs.push(("hit", self.find.hit.to_string()));
            }
        }
        if self.raw {
            pairs.push(("raw", "1".to_owned()));
        }
        pairs.extend(self.zoom.map(|zoom| ("zoom", zoom.to_string())));
        pairs.extend(self.focus.map(|focus| ("focus", focus.to_string())));
        pairs
    }

    /// The URL for this view, with the fragment of the event to scroll to.
    pub fn href(&self, run_id: &str) -> String {
        let query: Vec<String> =
            self.pairs().into_iter().map(|(name, value)| format!("{name}={}", encode(&value))).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        let anchor = self.focus.map(|seq| format!("#e{seq}")).unwrap_or_default();
        format!("/runs/{run_id}{mark}{}{anchor}", query.join("&"))
    }

    /// The same view, scrolled to an event. The conversation density has few events, so it changes to normal. The waterfall
    /// shows all of its time axis, since the event may be in another part.
    pub fn focused(&self, seq: u64) -> Self {
        let density = if self.density == Density::Conversation { Density::Normal } else { self.density };
        Self { focus: Some(seq), from: None, zoom: None, density, ..self.clone() }
    }

    /// The same view in another density.
    pub fn in_density(&self, density: Density) -> Self {
        Self { density, from: None, focus: None, zoom: None, ..self.clone() }
    }

    /// The same view at an event, or at the end.
    pub fn at(&self, at: Option<u64>) -> Self {
        Self { at, focus: None, from: None, ..self.clone() }
    }

    /// The same view with another part of the waterfall's time axis, or with all of it.
    pub fn zoomed(&self, zoom: Option<Zoom>) -> Self {
        Self { zoom, from: None, focus: None, ..self.clone() }
    }

    /// The same view with a row opened or closed.
    pub fn toggled(&self, key: &str) -> Self {
        let mut view = Self { focus: None, ..self.clone() };
        match view.open.iter().position(|open| open == key) {
            Some(at) => drop(view.open.remove(at)),
            None => view.open.push(key.to_owned()),
        }
        view
    }
}

fn density_word(density: Density) -> Option<&'static str> {
    match density {
        Density::Conversation => Some("conversation"),
        Density::Normal => None,
        Density::Waterfall => Some("waterfall"),
        Density::EveryEvent => Some("events"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> RunView {
        RunView::from_query(&QueryString::parse(query))
    }

    #[test]
    fn a_url_contains_the_whole_view() {
        let view = RunView {
            tab: Tab::Tools,
            density: Density::EveryEvent,
            at: Some(12),
            focus: Some(9),
            from: Some(200),
            open: vec!["t0-1".to_owned(), "t0-repeats".to_owned()],
            find: Find { text: "is:error refund".to_owned(), hit: 3 },
            raw: true,
            zoom: Zoom::parse("1200-5400"),
        };
        let href = view.href("run_1");
        let query = href.strip_prefix("/runs/run_1?").and_then(|rest| rest.strip_suffix("#e9"));
        assert_eq!(query.map(read), Some(view), "{href}");
    }

    #[test]
    fn a_default_view_has_a_short_url_and_invalid_values_are_ignored() {
        assert_eq!(RunView::default().href("r"), "/runs/r");
        assert_eq!(read("tab=lost&density=x&at=-1&from=abc&hit=q"), RunView::default());
    }
}
