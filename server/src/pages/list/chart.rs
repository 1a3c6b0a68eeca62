//! Builds the chart of runs over time.

use app::format::grouped;
use app::model::chart::{Chart, ChartPart, ChartSlot};
use app::zone::TimeZone;
use domain::Histogram;
use protocol::Query;
use protocol::query::When;

use super::Links;
use super::ticks::build_ticks;
use super::time_range::without_time_range;

/// The order of the stack, bottom first. Failures are at the bottom, where heights are easiest to compare.
const STACK: [&str; 5] = ["failed", "cancelled", "running", "pending", "succeeded"];
pub const MAX_SLOTS: i64 = 200;
const DAY_MS: i64 = 86_400_000;

pub fn build_chart(links: &Links, histogram: &Histogram, query: &Query, zone: TimeZone) -> Option<Chart> {
    let (start, step) = (histogram.start_ms, histogram.bucket_ms.max(1));
    let slots = ((histogram.end_ms - start) / step).min(MAX_SLOTS);
    if slots < 1 {
        return None;
    }
    let end = start + slots * step;
    let peak = histogram.max_runs.max(1);
    // The filter may cover only a part of a slot: its count and its link respect that.
    let from = |at: i64| histogram.from_ms.map_or(at, |from| at.max(from));
    let to = |at: i64| histogram.before_ms.map_or(at, |before| at.min(before));
    let slot = |i: i64| {
        let at = start + i * step;
        let found = histogram.buckets.iter().find(|bucket| bucket.start_ms == at);
        let (since, before) = (from(at), to(at + step));
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
            slot.title = format!("{}: {}", slot_label(zone, since, step), words.join(", "));
        }
        slot
    };
    let rest = without_time_range(query);
    Some(Chart {
        slots: (0..slots).map(slot).collect(),
        base: links.appendable_url(&rest),
        label: format!("Runs over time, {}", range_label(zone, from(start), to(end), step)),
        ticks: build_ticks(start, end, zone),
        peak: match histogram.max_runs {
            0 => "no runs".to_owned(),
            runs => format!("peak {} per bar", grouped(runs)),
        },
        by_status: true,
        choices: Vec::new(),
        note: histogram.counted_newest.map(|counted| format!("newest {} counted", grouped(counted))),
    })
}

pub fn moment(at_ms: i64) -> String {
    When::At(at_ms).to_string()
}

/// Formats a time with the precision of the slots.
pub fn slot_label(zone: TimeZone, at_ms: i64, step: i64) -> String {
    let text = zone.timestamp(at_ms);
    // Days are those of UTC, which begin at another hour elsewhere.
    let is_date = step >= DAY_MS && zone.offset_minutes(at_ms) == 0;
    if is_date { text[..10].to_owned() } else { text[..16].to_owned() }
}

/// The time range of a chart: `2026-11-04 to 2026-11-08 UTC`.
pub fn range_label(zone: TimeZone, from_ms: i64, to_ms: i64, step: i64) -> String {
    format!("{} to {} {}", slot_label(zone, from_ms, step), slot_label(zone, to_ms, step), zone.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Bucket, ViewList};

    #[test]
    fn bars_are_stacked_and_link_to_their_time_range() {
        let hour = 3_600_000;
        let bucket = |start_ms, runs: &[(&str, u64)]| Bucket {
            start_ms,
            runs: runs.iter().map(|(status, runs)| ((*status).to_owned(), *runs)).collect(),
        };
        let histogram = Histogram {
            bucket_ms: hour,
            buckets: vec![bucket(0, &[("failed", 1), ("succeeded", 3)]), bucket(2 * hour, &[("succeeded", 2)])],
            end_ms: 3 * hour,
            max_runs: 4,
            ..Histogram::default()
        };
        let query = Query::parse("env:prod since:2d").expect("a query");
        let chart =
            build_chart(&Links::to_list(ViewList::Runs), &histogram, &query, TimeZone::default()).expect("a chart");
        assert_eq!(chart.slots.len(), 3, "hours without runs have their place too");
        let heights: Vec<(&str, u32, u32)> =
            chart.slots[0].parts.iter().map(|part| (&*part.status, part.y, part.height)).collect();
        assert_eq!(heights, [("failed", 75, 25), ("succeeded", 0, 75)]);
        assert_eq!(chart.slots[0].title, "1970-01-01 00:00: 1 failed, 3 succeeded");
        assert_eq!(chart.label, "Runs over time, 1970-01-01 00:00 to 1970-01-01 03:00 UTC");
        let ticks: Vec<(u32, &str)> = chart.ticks.iter().map(|tick| (tick.at, &*tick.label)).collect();
        assert_eq!((chart.peak.as_str(), &ticks[..2]), ("peak 4 per bar", &[(0, "00:00"), (1_666, "00:30")][..]));
        let range = "/runs?q=env:prod+since:1970-01-01+before:1970-01-01T02:00:00Z";
        assert_eq!(chart.range(1, 0).as_deref(), Some(range));
        assert_eq!(
            build_chart(&Links::to_list(ViewList::Runs), &Histogram::default(), &query, TimeZone::default()),
            None
        );
    }
    #[test]
    fn a_partly_filtered_bar_links_to_the_range_it_counts() {
        let minute = 60_000;
        let bucket = |start_ms| Bucket { start_ms, runs: [("failed".to_owned(), 1)].into() };
        let histogram = Histogram {
            bucket_ms: minute,
            buckets: vec![bucket(minute), bucket(2 * minute), bucket(3 * minute)],
            from_ms: Some(minute + 20_500),
            before_ms: Some(3 * minute + 1_000),
            start_ms: minute,
            end_ms: 4 * minute,
            max_runs: 1,
            ..Histogram::default()
        };
        let query = Query::parse("since:15m").expect("a query");
        let chart =
            build_chart(&Links::to_list(ViewList::Runs), &histogram, &query, TimeZone::default()).expect("a chart");
        let slots: Vec<(&str, &str)> = chart.slots.iter().map(|slot| (&*slot.since, &*slot.before)).collect();
        assert_eq!(
            slots,
            [
                ("1970-01-01T00:01:20.500Z", "1970-01-01T00:02:00Z"),
                ("1970-01-01T00:02:00Z", "1970-01-01T00:03:00Z"),
                ("1970-01-01T00:03:00Z", "1970-01-01T00:03:01Z"),
            ]
        );
        assert_eq!(chart.label, "Runs over time, 1970-01-01 00:01 to 1970-01-01 00:03 UTC");
    }
}
