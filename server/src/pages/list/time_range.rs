//! Builds the time range picker, which edits the `since:` and `before:` clauses of the filter.

use app::format::timestamp;
use app::model::runs::{RangeLink, TimeRange};
use protocol::Query;
use protocol::query::{Clause, Term, Unit, When};

use super::Links;

const PRESETS: [(&str, u32, Unit); 4] = [
    ("Last hour", 1, Unit::Hours),
    ("Last 24 hours", 24, Unit::Hours),
    ("Last 7 days", 7, Unit::Days),
    ("Last 30 days", 30, Unit::Days),
];

pub fn build_time_range(links: &Links, query: &Query) -> TimeRange {
    let rest = without_time_range(query);
    let range: Vec<&Clause> = query.clauses.iter().filter(|clause| limits_time(clause)).collect();
    let preset = |(label, amount, unit): (&str, u32, Unit)| {
        let term = Term::Since(When::Ago { amount, unit });
        let on = matches!(range[..], [clause] if *clause == Clause::from(term.clone()));
        RangeLink { label: label.to_owned(), href: links.url(&rest.with(term)), on }
    };
    let all = RangeLink { label: "All time".to_owned(), href: links.url(&rest), on: range.is_empty() };
    let presets: Vec<RangeLink> = PRESETS.into_iter().map(preset).chain([all]).collect();
    let since = range.iter().find_map(|clause| if let Term::Since(when) = clause.term { Some(when) } else { None });
    let before = range.iter().find_map(|clause| if let Term::Before(when) = clause.term { Some(when) } else { None });
    let date = |when: Option<When>| match when {
        Some(When::At(at_ms)) => timestamp(at_ms)[..10].to_owned(),
        _ => String::new(),
    };
    let chosen = presets.iter().find(|preset| preset.on).map(|preset| preset.label.clone());
    TimeRange {
        label: chosen.unwrap_or_else(|| describe(since, before)),
        presets,
        rest: rest.to_string(),
        since: date(since),
        before: date(before),
    }
}

pub fn without_time_range(query: &Query) -> Query {
    Query { clauses: query.clauses.iter().filter(|clause| !limits_time(clause)).cloned().collect() }
}

pub fn only_time_range(query: &Query) -> Query {
    Query { clauses: query.clauses.iter().filter(|clause| limits_time(clause)).cloned().collect() }
}

fn limits_time(clause: &Clause) -> bool {
    matches!(clause.term, Term::Since(_) | Term::Before(_))
}

fn describe(since: Option<When>, before: Option<When>) -> String {
    match (since.map(short), before.map(short)) {
        (Some(since), Some(before)) => format!("{since} – {before}"),
        (Some(since), None) => format!("Since {since}"),
        (None, Some(before)) => format!("Before {before}"),
        (None, None) => "Custom".to_owned(),
    }
}

/// `2026-10-01`, `2026-10-01 14:30`, `2h ago`.
fn short(when: When) -> String {
    match when {
        When::Ago { .. } => format!("{when} ago"),
        When::At(at_ms) => timestamp(at_ms)[..16].trim_end_matches(" 00:00").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ViewList;

    fn range(query: &str) -> TimeRange {
        build_time_range(&Links::to_list(ViewList::Runs), &Query::parse(query).expect("a query"))
    }

    #[test]
    fn presets_replace_the_time_range_of_the_filter() {
        let chosen = range("env:prod since:7d");
        assert_eq!(chosen.label, "Last 7 days");
        assert_eq!(chosen.presets[0].href, "/runs?q=env:prod+since:1h");
        assert_eq!(chosen.presets[4].href, "/runs?q=env:prod");
        assert_eq!(
            chosen.presets.iter().map(|preset| preset.on).collect::<Vec<_>>(),
            [false, false, true, false, false]
        );
        assert_eq!(range("").label, "All time");
    }

    #[test]
    fn a_custom_range_is_described_and_can_be_edited() {
        let custom = range("since:2026-10-01 env:prod before:2026-10-08T12:30:00Z");
        assert_eq!(custom.label, "2026-10-01 – 2026-10-08 12:30");
        assert_eq!((&*custom.rest, &*custom.since, &*custom.before), ("env:prod", "2026-10-01", "2026-10-08"));
        assert_eq!(range("since:2h").label, "Since 2h ago");
    }
}
