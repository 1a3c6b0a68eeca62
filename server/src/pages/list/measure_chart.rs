//! The chart of the list when it shows cost, tokens or durations instead of numbers of runs.

use app::format::{compact_number, dollars, duration, grouped};
use app::model::chart::{Chart, ChartPart, ChartSlot};
use app::model::runs::RangeLink;
use app::zone::TimeZone;
use domain::{FiguresOverTime, RunFigures};
use protocol::Query;

use super::Links;
use super::chart::{MAX_SLOTS, moment, range_label, slot_label};
use super::ticks::build_ticks;
use super::time_range::without_time_range;

/// What the chart shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartMeasure {
    #[default]
    Runs,
    Cost,
    Tokens,
    Duration,
}

impl ChartMeasure {
    const ALL: [Self; 4] = [Self::Runs, Self::Cost, Self::Tokens, Self::Duration];

    pub fn parse(text: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|measure| measure.parameter() == text).unwrap_or_default()
    }

    /// The value of the URL's parameter, unless it is the default.
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Self::Runs => None,
            Self::Cost => Some("cost"),
            Self::Tokens => Some("tokens"),
            Self::Duration => Some("duration"),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Cost => "cost",
            Self::Tokens => "tokens",
            Self::Duration => "p95 duration",
        }
    }

    /// Links to the list with each chart.
    pub fn choices(self, links: &Links, query: &Query) -> Vec<RangeLink> {
        let choice = |measure: Self| RangeLink {
            label: measure.label().to_owned(),
            href: links.with("chart", measure.parameter()).url(query),
            on: measure == self,
        };
        Self::ALL.map(choice).to_vec()
    }

    fn of(self, figures: &RunFigures) -> u64 {
        match self {
            Self::Runs => figures.runs,
            Self::Cost => figures.cost_micros,
            Self::Tokens => figures.tokens,
            Self::Duration => figures.duration_ms.p95.unwrap_or(0),
        }
    }

    fn text(self, value: u64) -> String {
        match self {
            Self::Runs => grouped(value),
            Self::Cost => dollars(value),
            Self::Tokens => compact_number(value),
            Self::Duration => duration(value),
        }
    }
}

pub fn build_measure_chart(
    links: &Links,
    over_time: &FiguresOverTime,
    query: &Query,
    measure: ChartMeasure,
    zone: TimeZone,
) -> Option<Chart> {
    let (start, step) = (over_time.start_ms, over_time.bucket_ms.max(1));
    let slots = ((over_time.end_ms - start) / step).min(MAX_SLOTS);
    if slots < 1 {
        return None;
    }
    let end = start + slots * step;
    let highest = over_time.buckets.iter().map(|bucket| measure.of(&bucket.figures)).max().unwrap_or(0);
    let slot = |i: i64| {
        let at = start + i * step;
        let since = over_time.from_ms.map_or(at, |from| from.max(at));
        let before = over_time.before_ms.map_or(at + step, |before| before.min(at + step));
        let mut slot = ChartSlot { since: moment(since), before: moment(before), ..ChartSlot::default() };
        if let Some(bucket) = over_time.buckets.iter().find(|bucket| bucket.start_ms == at) {
            let value = measure.of(&bucket.figures);
            let height = (u128::from(value) * 100).div_ceil(u128::from(highest.max(1)));
            let height = u32::try_from(height).unwrap_or(100).min(100);
            slot.parts.push(ChartPart { status: "number".to_owned(), y: 100 - height, height });
            let (value, runs) = (measure.text(value), grouped(bucket.figures.runs));
            slot.title = format!("{}: {} {value}, {runs} runs", slot_label(zone, since, step), measure.label());
        }
        slot
    };
    Some(Chart {
        slots: (0..slots).map(slot).collect(),
        base: links.appendable_url(&without_time_range(query)),
        label: format!("{} over time, {}", measure.label(), range_label(zone, start, end, step)),
        ticks: build_ticks(start, end, zone),
        peak: format!("peak {}", measure.text(highest)),
        by_status: false,
        choices: Vec::new(),
        note: over_time.counted_newest.map(|counted| format!("newest {} counted", grouped(counted))),
    })
}

#[cfg(test)]
mod tests {
    use domain::{FiguresBucket, Percentiles, ViewList};

    use super::*;

    #[test]
    fn bars_have_the_height_of_their_number_and_link_to_their_runs() {
        let bucket = |start_ms, p95| FiguresBucket {
            start_ms,
            figures: RunFigures {
                runs: 2,
                duration_ms: Percentiles { p50: None, p95: Some(p95), sum: 0 },
                ..RunFigures::default()
            },
        };
        let over_time = FiguresOverTime {
            bucket_ms: 60_000,
            start_ms: 0,
            end_ms: 180_000,
            buckets: vec![bucket(0, 4_000), bucket(120_000, 1_000)],
            ..FiguresOverTime::default()
        };
        let query = Query::parse("env:prod since:15m").expect("a query");
        let links = Links::to_list(ViewList::Runs).with("chart", Some("duration"));
        let chart = build_measure_chart(&links, &over_time, &query, ChartMeasure::Duration, TimeZone::default())
            .expect("a chart");
        let heights: Vec<u32> =
            chart.slots.iter().map(|slot| slot.parts.iter().map(|part| part.height).sum()).collect();
        assert_eq!((heights, chart.peak.as_str()), (vec![100, 0, 25], "peak 4.0 s"));
        assert_eq!(chart.slots[0].title, "1970-01-01 00:00: p95 duration 4.0 s, 2 runs");
        let range = "/runs?chart=duration&q=env:prod+since:1970-01-01T00:02:00Z+before:1970-01-01T00:03:00Z";
        assert_eq!(chart.range(2, 2).as_deref(), Some(range));
        let choices = ChartMeasure::Duration.choices(&links, &query);
        let hrefs: Vec<(&str, bool)> = choices.iter().map(|choice| (choice.href.as_str(), choice.on)).collect();
        assert_eq!(hrefs[0], ("/runs?q=env:prod+since:15m", false));
        assert_eq!(hrefs[3], ("/runs?chart=duration&q=env:prod+since:15m", true));
    }
}
