//! Links between the pages of failure groups, and to lists of runs.

use app::format::timestamp;
use domain::url::{encode, encode_segment};
use domain::{AffectedValue, FailureSort, FailureState};
use protocol::query::{Field, Term};

use super::{ALL_TIME, DEFAULT_SINCE, runs_query};
use crate::failures::TimeRange;

/// The ranges to choose from, with the value of `since`.
const PRESETS: [(&str, &str); 4] =
    [("Last 24 hours", "24h"), ("Last 7 days", "7d"), ("Last 30 days", DEFAULT_SINCE), ("All time", ALL_TIME)];

/// The state of the page, which its links keep.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub state: FailureState,
    pub sort: FailureSort,
    pub since: Option<String>,
    pub before: Option<String>,
}

impl Links {
    pub fn list(&self) -> String {
        let mut parameters = Vec::new();
        if self.state != FailureState::default() {
            parameters.push(("state", self.state.as_str().to_owned()));
        }
        if self.sort != FailureSort::default() {
            parameters.push(("sort", self.sort.as_str().to_owned()));
        }
        let default = self.before.is_none() && self.since.as_deref() == Some(DEFAULT_SINCE);
        parameters.extend(self.range_parameters().into_iter().filter(|_| !default));
        url("/failures", &parameters)
    }

    /// The page of a group in the same range. Without one it shows all runs of the group.
    pub fn group(&self, id: &str) -> String {
        url(&format!("/failures/{}", encode_segment(id)), &self.range_parameters())
    }

    pub fn with_state(&self, state: FailureState) -> Self {
        Self { state, ..self.clone() }
    }

    pub fn sorted(&self, sort: FailureSort) -> Self {
        Self { sort, ..self.clone() }
    }

    /// Label and link of each usual range, and whether it is the one that is shown.
    pub fn presets(&self) -> Vec<(&'static str, String, bool)> {
        let preset = |(label, since): (&'static str, &str)| {
            let on = self.before.is_none() && self.since.as_deref() == Some(since);
            let links = Self { since: Some(since.to_owned()), before: None, ..self.clone() };
            (label, links.list(), on)
        };
        PRESETS.into_iter().map(preset).collect()
    }

    pub fn range_label(&self) -> String {
        let preset = self.presets().into_iter().find(|(.., on)| *on).map(|(label, ..)| label.to_owned());
        preset.unwrap_or_else(|| match (&self.since, &self.before) {
            (Some(since), Some(before)) => format!("{since} – {before}"),
            (Some(since), None) => format!("Since {since}"),
            (None, Some(before)) => format!("Before {before}"),
            (None, None) => "All time".to_owned(),
        })
    }

    fn range_parameters(&self) -> Vec<(&'static str, String)> {
        let since = self.since.clone();
        since.map(|since| ("since", since)).into_iter().chain(self.before.clone().map(|at| ("before", at))).collect()
    }
}

/// The list of runs of a group in a time range.
pub fn runs_href(id: &str, range: TimeRange, value: Option<Term>) -> String {
    format!("/runs?q={}", encode(&runs_query(id, range, value).to_string()))
}

/// The clause that finds the runs with a value.
pub fn term_of(value: &AffectedValue) -> Option<Term> {
    if let Some(key) = value.key.strip_prefix("metadata.") {
        return Some(Term::metadata(key, &value.value));
    }
    let field = Field::ALL.into_iter().find(|field| field.as_str() == value.key)?;
    Some(Term::Field { field, value: value.value.clone() })
}

/// `2026-10-01 14:30`.
pub fn minute(at_ms: i64) -> String {
    timestamp(at_ms)[..16].to_owned()
}

fn url(path: &str, parameters: &[(&str, String)]) -> String {
    let parameters: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    let mark = if parameters.is_empty() { "" } else { "?" };
    format!("{path}{mark}{}", parameters.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_the_state_of_the_page() {
        let links = Links { since: Some(DEFAULT_SINCE.to_owned()), ..Links::default() };
        assert_eq!(
            (links.list(), links.group("failed-1")),
            ("/failures".to_owned(), "/failures/failed-1?since=30d".to_owned())
        );
        assert_eq!(links.range_label(), "Last 30 days");
        let week = Links { since: Some("7d".to_owned()), ..links };
        let muted = week.with_state(FailureState::Muted).sorted(FailureSort::LastSeen);
        assert_eq!(muted.list(), "/failures?state=muted&sort=last-seen&since=7d");
        assert_eq!(week.group("failed-1"), "/failures/failed-1?since=7d");
    }

    #[test]
    fn values_link_to_the_runs_of_the_group_that_have_them() {
        let range = TimeRange::parse(Some("7d"), None).expect("a range");
        let value = |key: &str, value: &str| AffectedValue { key: key.to_owned(), value: value.to_owned(), runs: 1 };
        let href = |value: AffectedValue| runs_href("failed-1", range, term_of(&value));
        assert_eq!(href(value("metadata.env", "a b")), "/runs?q=group:failed-1+env:%22a+b%22+since:7d");
        assert_eq!(href(value("failed-tool", "crm")), "/runs?q=group:failed-1+failed-tool:crm+since:7d");
    }
}
