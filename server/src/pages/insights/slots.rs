//! The bars of all charts of the page: their places and times, and links to their runs.

use app::zone::TimeZone;
use domain::{FiguresOverTime, RunFigures};
use protocol::Query;
use protocol::query::{Term, When};

use crate::pages::list::{Links, slot_label};

/// As many as the main chart has.
const MAX_SLOTS: i64 = 200;

pub struct Slots {
    /// All places, also those without runs.
    pub count: usize,
    /// Places with runs.
    pub filled: Vec<Slot>,
    runs: Links,
    /// The filter without its time range.
    rest: Query,
}

pub struct Slot {
    pub place: usize,
    /// When it begins, for people.
    pub label: String,
    pub figures: RunFigures,
    since: When,
    before: When,
}

impl Slots {
    pub fn new(over_time: &FiguresOverTime, runs: &Links, rest: &Query, zone: TimeZone) -> Self {
        let step = over_time.bucket_ms.max(1);
        let count = ((over_time.end_ms - over_time.start_ms) / step).clamp(1, MAX_SLOTS);
        let slot = |bucket: &domain::FiguresBucket| {
            let place = (bucket.start_ms - over_time.start_ms) / step;
            let since = over_time.from_ms.map_or(bucket.start_ms, |from| from.max(bucket.start_ms));
            let end = bucket.start_ms + step;
            let before = over_time.before_ms.map_or(end, |before| before.min(end));
            Some(Slot {
                place: usize::try_from(place).ok().filter(|_| place < count)?,
                label: slot_label(zone, since, step),
                figures: bucket.figures.clone(),
                since: When::At(since),
                before: When::At(before),
            })
        };
        Self {
            count: usize::try_from(count).unwrap_or(1),
            filled: over_time.buckets.iter().filter_map(slot).collect(),
            runs: runs.clone(),
            rest: rest.clone(),
        }
    }

    /// The URL of the list of a slot's runs, with one more filter.
    pub fn url(&self, slot: &Slot, more: Option<Term>) -> String {
        let query = more.map_or_else(|| self.rest.clone(), |more| self.rest.with(more));
        self.runs.url(&query.with(Term::Since(slot.since)).with(Term::Before(slot.before)))
    }
}
