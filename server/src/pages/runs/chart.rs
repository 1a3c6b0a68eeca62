//! Runs over time as bars, each a link to its stretch of time.
//!
//! ```text
//!  slots ─▶ x, one unit each          heights: 0 at the top, 100 for the fullest slot
//! ```

use protocol::Query;
use protocol::query::{Term, When};
use serde::{Deserialize, Serialize};

use super::Links;
use crate::format::{grouped, timestamp};
use domain::Histogram;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chart {
    pub slots: Vec<ChartSlot>,
    /// The list to which a stretch of time can be written.
    pub base: String,
    /// The list without a stretch of time, where there is one.
    pub whole: Option<String>,
    pub from: String,
    pub to: String,
    pub peak: String,
    pub note: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartSlot {
    /// Its first moment and the one after its last, as the filter writes them.
    pub since: String,
    pub before: String,
    /// Empty where there is no run.
    pub title: String,
    pub parts: Vec<ChartPart>,
}

/// A status with its share of the height, in hundredths of the fullest slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartPart {
    pub status: String,
    pub y: u32,
    pub height: u32,
}

/// From the foot up: what needs attention stands on the ground, where it is compared best.
const STACK: [&str; 5] = ["failed", "cancelled", "running", "pending", "succeeded"];
const MAX_SLOTS: i64 = 200;
const DAY_MS: i64 = 86_400_000;

impl Chart {
    /// The list of a stretch of time, from one slot to another in whatever order.
    pub fn range(&self, one: usize, other: usize) -> Option<String> {
        let (first, last) = (self.slots.get(one.min(other))?, self.slots.get(one.max(other))?);
        Some(format!("{}since:{}+before:{}", self.base, first.since, last.before))
    }
}

pub fn compose_chart(links: &Links, histogram: &Histogram, query: &Query) -> Option<Chart> {
    let (first, last) = (histogram.buckets.first()?.start_ms, histogram.buckets.last()?.start_ms);
    let step = histogram.bucket_ms.max(1);
    let slots = ((last - first) / step + 1).clamp(1, MAX_SLOTS);
    let totals = histogram.buckets.iter().map(|bucket| bucket.runs.values().sum::<u64>());
    let peak = totals.max().unwrap_or(0).max(1);
    // What the filter cuts off of a slot is not counted in it, and not to be found by its link either.
    let from = |at: i64| histogram.from_ms.map_or(at, |from| at.max(from));
    let to = |at: i64| histogram.before_ms.map_or(at, |before| at.min(before));
    let slot = |i: i64| {
        let start = first + i * step;
        let found = histogram.buckets.iter().find(|bucket| bucket.start_ms == start);
        let (since, before) = (from(start), to(start + step));
        let mut slot = ChartSlot { since: moment(since), before: moment(before), ..ChartSlot::default() };
        let mut below = 0;
        let mut words = Vec::new();
        for status in STACK {
            let Some(runs) = found.and_then(|bucket| bucket.runs.get(status)).filter(|runs| **runs > 0) else {
                continue;
            };
            let top = |runs: u64| u32::try_from((runs * 100).div_ceil(peak)).unwrap_or(100).min(100);
            let (low, high) = (top(below), top(below + runs));
            slot.parts.push(ChartPart { status: status.to_owned(), y: 100 - high, height: high - low });
            words.push(format!("{} {status}", grouped(*runs)));
            below += runs;
        }
        if below > 0 {
            slot.title = format!("{}: {}", label(since, step), words.join(", "));
        }
        slot
    };
    let mut rest = query.clone();
    rest.clauses.retain(|clause| !matches!(clause.term, Term::Since(_) | Term::Before(_)));
    Some(Chart {
        slots: (0..slots).map(slot).collect(),
        base: links.adding_to(&rest),
        whole: (rest != *query).then(|| links.under(&rest)),
        from: label(from(first), step),
        to: format!("{} UTC", label(to(first + slots * step), step)),
        peak: grouped(peak),
        note: histogram.counted_newest.map(|counted| format!("the newest {} that match", grouped(counted))),
    })
}

fn moment(at_ms: i64) -> String {
    When::At(at_ms).to_string()
}

/// A time as exact as the slots are.
fn label(at_ms: i64, step: i64) -> String {
    let text = timestamp(at_ms);
    if step >= DAY_MS { text[..10].to_owned() } else { text[..16].to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Bucket, ViewList};

    #[test]
    fn bars_are_stacked_and_lead_to_their_time() {
        let hour = 3_600_000;
        let bucket = |start_ms, runs: &[(&str, u64)]| Bucket {
            start_ms,
            runs: runs.iter().map(|(status, runs)| ((*status).to_owned(), *runs)).collect(),
        };
        let histogram = Histogram {
            bucket_ms: hour,
            buckets: vec![bucket(0, &[("failed", 1), ("succeeded", 3)]), bucket(2 * hour, &[("succeeded", 2)])],
            ..Histogram::default()
        };
        let query = Query::parse("env:prod since:2d").expect("a query");
        let chart = compose_chart(&Links::to_list(ViewList::Runs), &histogram, &query).expect("a chart");
        assert_eq!(chart.slots.len(), 3, "hours without runs have their place too");
        let heights: Vec<(&str, u32, u32)> =
            chart.slots[0].parts.iter().map(|part| (&*part.status, part.y, part.height)).collect();
        assert_eq!(heights, [("failed", 75, 25), ("succeeded", 0, 75)]);
        assert_eq!(chart.slots[0].title, "1970-01-01 00:00: 1 failed, 3 succeeded");
        assert_eq!(chart.whole.as_deref(), Some("/runs?q=env:prod"));
        let range = "/runs?q=env:prod+since:1970-01-01+before:1970-01-01T02:00:00Z";
        assert_eq!(chart.range(1, 0).as_deref(), Some(range));
        assert_eq!(compose_chart(&Links::to_list(ViewList::Runs), &Histogram::default(), &query), None);
    }
    #[test]
    fn a_bar_that_the_filter_cuts_leads_to_what_it_counts() {
        let minute = 60_000;
        let bucket = |start_ms| Bucket { start_ms, runs: [("failed".to_owned(), 1)].into() };
        let histogram = Histogram {
            bucket_ms: minute,
            buckets: vec![bucket(minute), bucket(2 * minute), bucket(3 * minute)],
            from_ms: Some(minute + 20_500),
            before_ms: Some(3 * minute + 1_000),
            counted_newest: None,
        };
        let query = Query::parse("since:15m").expect("a query");
        let chart = compose_chart(&Links::to_list(ViewList::Runs), &histogram, &query).expect("a chart");
        let slots: Vec<(&str, &str)> = chart.slots.iter().map(|slot| (&*slot.since, &*slot.before)).collect();
        assert_eq!(
            slots,
            [
                ("1970-01-01T00:01:20.500Z", "1970-01-01T00:02:00Z"),
                ("1970-01-01T00:02:00Z", "1970-01-01T00:03:00Z"),
                ("1970-01-01T00:03:00Z", "1970-01-01T00:03:01Z"),
            ]
        );
        assert_eq!((&*chart.from, &*chart.to), ("1970-01-01 00:01", "1970-01-01 00:03 UTC"));
    }
}
