//! The queries that are measured.

use anyhow::{Context, Result};
use serde_json::Value;

use super::UNTIL_MS;
use super::timing::{FIGURES, Goal, LIST, TEXT};
use crate::bench::client::Client;

/// The time between two runs of `runlens seed`.
const APART_MS: i64 = 2_000;

pub struct BenchQuery {
    pub name: &'static str,
    /// Path of the JSON API.
    pub api: String,
    /// Path of the page that shows the same, if there is one.
    pub page: Option<String>,
    pub goal: Goal,
    /// Walks along the list or a tag, so its cost must not grow with the number of runs.
    pub keyset: bool,
}

/// Every kind of query. The rare ones use values of an existing run.
pub fn queries(script: &mut Client, runs: u64) -> Result<Vec<BenchQuery>> {
    let page: Value = serde_json::from_str(&script.get("/api/runs?q=is:seeded&limit=50")?.body)?;
    let order = page["runs"][7]["metadata"]["order"].as_str().context("no seeded run is listed")?.to_owned();
    let mut deep = String::new();
    for _ in 0..50 {
        let page: Value = serde_json::from_str(&script.get(&format!("/api/runs?limit=200{deep}"))?.body)?;
        match page["nextCursor"].as_str() {
            Some(cursor) => deep = format!("&cursor={cursor}"),
            None => break,
        }
    }
    let list = |name, query: String, goal, keyset| BenchQuery {
        name,
        api: format!("/api/runs?limit=50&q={query}"),
        page: Some(format!("/runs?q={query}")),
        goal,
        keyset,
    };
    let walk = |name, query: &str| list(name, query.to_owned(), LIST, true);
    let text = |name, query: &str| list(name, query.to_owned(), TEXT, false);
    let other = |name, api: &str| BenchQuery { name, api: api.to_owned(), page: None, goal: LIST, keyset: false };
    let sorted = |name, query: &str, sort: &str| BenchQuery {
        name,
        api: format!("/api/runs?limit=50&q={query}&sort={sort}"),
        page: None,
        goal: TEXT,
        keyset: false,
    };
    let count = |name, query: &str| BenchQuery { goal: TEXT, ..other(name, &format!("/api/count?q={query}")) };
    let figures = |name, query: &str| BenchQuery { goal: FIGURES, ..other(name, &format!("/api/insights?{query}")) };
    let middle = middle_of(runs);
    // Orders have numbers: the first characters of one are the beginning of many others.
    let beginning = |chars: usize| order.chars().take(chars).collect::<String>();
    Ok(vec![
        walk("newest 50", ""),
        walk("metadata, one in 50", "customer:customer-07"),
        walk("metadata, ten runs", &format!("order:{order}")),
        walk("two metadata keys", "customer:customer-07+team:team-03"),
        walk("status, metadata and time", &format!("status:failed+customer:customer-07+before:{middle}")),
        walk("any of three", "customer:customer-01,customer-02,customer-03"),
        walk("tool and not env", "tool:recall+-env:prod"),
        walk("duration", "duration:%3E30s"),
        walk("duration and one in 50", "duration:%3E60s+customer:customer-07"),
        list("cost, of no run, and one in 50", "cost:%3E0.01+customer:customer-07".to_owned(), LIST, false),
        text("text, common", "invoice"),
        text("text, rare", &format!("text:{order}")),
        text("text, common, and one in 50", "invoice+customer:customer-07"),
        text("text, a phrase", "%22order+invoice%22"),
        text("text, a phrase and a beginning", "%22order+invoice%22+refu"),
        text("text, of no run", "nowhere"),
        text("text, a rare word", "heliotrope"),
        text("text, two words", "invoice+heliotrope"),
        text("text, one letter", "i"),
        text("text, two letters", "in"),
        text("text, three letters", "inv"),
        text("text, four letters", "invo"),
        text("text, letters of a rare word", "heliot"),
        text("text, letters of two words", "invo+refu"),
        text("text, two characters of a number", &beginning(2)),
        text("text, three characters of a number", &beginning(3)),
        text("text, four characters of a number", &beginning(4)),
        text("text, four letters, and one in 50", "invo+customer:customer-07"),
        text("text, a rare word, and one in 50", "heliotrope+customer:customer-07"),
        text("text, four letters, and ten runs", &format!("invo+order:{order}")),
        text("text, four letters excluded", "-heliot"),
        text("name, a beginning", "name:supp"),
        text("name, exact, and a word", "name:support-desk+invo"),
        sorted("by duration", "", "-duration"),
        sorted("by tokens, ascending", "", "tokens"),
        sorted("by cost", "", "-cost"),
        sorted("by duration, one in 50", "customer:customer-07", "-duration"),
        sorted("by tokens, ten runs", &format!("order:{order}"), "-tokens"),
        sorted("by tokens, failed in prod", "status:failed+env:prod", "-tokens"),
        sorted("by duration, since an hour ago", &format!("since:{}", moment(UNTIL_MS - 3_600_000)), "-duration"),
        sorted("by tokens, a common beginning", "invo", "-tokens"),
        sorted("by tokens, a rare word", "heliotrope", "-tokens"),
        sorted("by duration, a common beginning, and one in 50", "invo+customer:customer-07", "-duration"),
        sorted("by cost, a phrase", "%22order+invoice%22", "-cost"),
        count("count, all", ""),
        count("count, one in 50", "customer:customer-07"),
        count("count, two keys", "customer:customer-07+team:team-03"),
        count("count, failed in prod", "status:failed+env:prod"),
        count("count, four letters", "invo"),
        count("count, four letters, and one in 50", "invo+customer:customer-07"),
        BenchQuery {
            name: "after 10,000 rows",
            api: format!("/api/runs?limit=50{deep}"),
            page: Some(format!("/runs?q={deep}")),
            goal: LIST,
            keyset: true,
        },
        other("facets", "/api/facets"),
        other("facets under a filter", "/api/facets?q=customer:customer-07"),
        other("facets under two filters", "/api/facets?q=customer:customer-07+env:prod"),
        other("histogram", "/api/histogram"),
        figures("insights, all", ""),
        figures("insights, half of the time", &format!("before={middle}")),
        figures("insights, by customer", "by=metadata.customer"),
        figures("insights, one in 50", "q=customer:customer-07"),
        figures("insights, one in two, by customer", "q=env:prod&by=metadata.customer"),
        figures("insights, failed", &format!("q=status:failed&since={middle}")),
        figures("insights, a tool", "q=tool:recall"),
        figures("insights, ten runs", &format!("q=order:{order}")),
    ])
}

/// A time in the middle of the seeded runs, in the filter's syntax.
fn middle_of(runs: u64) -> String {
    let half = i64::try_from(runs / 2).unwrap_or(0) * APART_MS;
    moment(UNTIL_MS - half)
}

/// A time in the filter's syntax.
fn moment(at_ms: i64) -> String {
    let seconds = at_ms / 1_000;
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

/// The date of a day since 1970 (Howard Hinnant's algorithm).
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    (yoe + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_a_time_of_the_filter() {
        assert_eq!(middle_of(0), "2026-09-21T14:13:20Z");
        assert_eq!(middle_of(86400), "2026-09-20T14:13:20Z");
    }
}
