//! Time ranges of queries, and the widths of the buckets that a chart divides one into.

use protocol::Query;
use protocol::query::Term;

use super::list_key;

pub(super) const HOUR_MS: i64 = 3_600_000;
const YEAR_MS: i64 = 365 * 24 * HOUR_MS;

/// Bucket widths that read well on an axis.
const BUCKET_WIDTHS_MS: [i64; 12] = [
    60_000,
    5 * 60_000,
    15 * 60_000,
    HOUR_MS,
    3 * HOUR_MS,
    6 * HOUR_MS,
    12 * HOUR_MS,
    24 * HOUR_MS,
    2 * 24 * HOUR_MS,
    7 * 24 * HOUR_MS,
    30 * 24 * HOUR_MS,
    YEAR_MS,
];

/// A time range: from a time, included, until another, excluded.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub from: Option<i64>,
    pub before: Option<i64>,
}

/// The first and the last time that a histogram covers, also without runs there.
#[derive(Clone, Copy, Default)]
pub(super) struct Ends {
    pub start: Option<i64>,
    pub end: Option<i64>,
}

impl Span {
    pub fn of(query: &Query, now_ms: i64) -> Self {
        let mut span = Self { from: None, before: None };
        for clause in &query.clauses {
            match (&clause.term, clause.negated) {
                (Term::Since(when), false) | (Term::Before(when), true) => {
                    span.from = span.from.max(Some(when.resolve(now_ms)));
                }
                (Term::Before(when), false) | (Term::Since(when), true) => {
                    let before = when.resolve(now_ms);
                    span.before = Some(span.before.map_or(before, |known| known.min(before)));
                }
                _ => {}
            }
        }
        span
    }

    /// The ends of a histogram. A query with a beginning and no end ends now; nothing is created later.
    pub fn ends(self, now_ms: i64) -> Ends {
        let end = self.before.or(self.from.map(|_| now_ms)).map(|end| end.min(now_ms));
        Ends { start: self.from, end: end.filter(|end| self.from.is_none_or(|from| from < *end)) }
    }

    pub fn list_keys(self) -> (i64, i64) {
        (self.from.map_or(i64::MIN, list_key::first_at), self.before.map_or(i64::MAX, list_key::first_at))
    }

    pub fn has_whole_hour(self, start: i64) -> bool {
        self.from.is_none_or(|from| from <= start) && self.before.is_none_or(|before| start + HOUR_MS <= before)
    }

    /// The parts of hours that are not wholly in the range.
    pub fn partial_hours(self) -> Vec<Self> {
        let mut starts: Vec<i64> = [self.from, self.before]
            .into_iter()
            .flatten()
            .map(|bound| bound.div_euclid(HOUR_MS).saturating_mul(HOUR_MS))
            .filter(|start| !self.has_whole_hour(*start))
            .collect();
        starts.dedup();
        let cut = |start: i64| {
            let end = start.saturating_add(HOUR_MS);
            Self { from: self.from.max(Some(start)), before: Some(self.before.map_or(end, |before| before.min(end))) }
        };
        starts.into_iter().map(cut).collect()
    }
}

fn step_for(span_ms: i64, wanted: i64) -> i64 {
    let wanted = wanted.max(1);
    let whole_years = || (span_ms / YEAR_MS / wanted + 1).saturating_mul(YEAR_MS);
    BUCKET_WIDTHS_MS.into_iter().find(|step| span_ms / step < wanted).unwrap_or_else(whole_years)
}

impl Ends {
    /// The width of a bucket, if the first and the last run are at these times.
    pub fn step(self, first: i64, last: i64, wanted: i64) -> i64 {
        step_for(self.end.unwrap_or(last).saturating_sub(self.start.unwrap_or(first)), wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_range_has_more_buckets_than_wanted() {
        for span_ms in [0, HOUR_MS, YEAR_MS, 2_026 * YEAR_MS, i64::MAX / 2] {
            for wanted in [1, 60, 200] {
                assert!(span_ms / step_for(span_ms, wanted) < wanted, "{span_ms} in {wanted}");
            }
        }
        assert_eq!(step_for(24 * HOUR_MS, 60), HOUR_MS);
    }
}
